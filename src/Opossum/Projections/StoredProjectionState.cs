namespace Opossum;

/// <summary>The state of a key as it is stored: personal values are encrypted.</summary>
/// <param name="Key">The key.</param>
/// <param name="Position">The position of the last event applied to the state.</param>
/// <param name="Tags">The state's tags.</param>
/// <param name="StoredJson">The state as JSON, without insignificant white space.</param>
public sealed record StoredProjectionState(string Key, long Position, IReadOnlyList<Tag> Tags, ReadOnlyMemory<byte> StoredJson);
