namespace Opossum.Serialization;

/// <summary>JSON and the personal values in it.</summary>
/// <param name="Values">The values, in their order.</param>
internal readonly record struct FoundValues(byte[] Json, IReadOnlyList<PersonalValue> Values);
