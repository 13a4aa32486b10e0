namespace Opossum.Storage.Index;

/// <summary>Where a run has the positions of a name.</summary>
/// <param name="TypeNumber">The run's number of the type; -1 for a tag.</param>
/// <param name="ListOffset">The offset of their list in the names.</param>
/// <param name="ListLength">The bytes of the list.</param>
internal readonly record struct RunPlace(int TypeNumber, int Count, long ListOffset, long ListLength);
