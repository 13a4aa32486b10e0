namespace Opossum;

/// <summary>Reads the tags of an event from the bytes in which the store keeps them.</summary>
internal delegate Tag[] TagsReader(ReadOnlySpan<byte> texts);
