namespace Opossum.Projections.States;

/// <summary>A file of the tag log, as far as it is durable and whole.</summary>
/// <param name="Number">Names the file.</param>
/// <param name="Length">How many of its bytes; what comes after them may be torn.</param>
internal readonly record struct TagSegment(long Number, long Length);
