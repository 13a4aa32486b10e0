namespace Opossum;

/// <summary>An event's or a state's JSON whose personal values were decrypted.</summary>
/// <param name="Json">The JSON; a value that cannot be read is null.</param>
/// <param name="Lost">The members that cannot be read.</param>
internal sealed record OpenedJson(ReadOnlyMemory<byte> Json, IReadOnlyList<UnreadableMember> Lost);
