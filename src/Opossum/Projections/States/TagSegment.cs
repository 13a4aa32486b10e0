namespace Opossum.Projections.States;

/// <summary>The durable, intact part of a file of the tag log.</summary>
/// <param name="Number">The number in the file's name.</param>
/// <param name="Length">The length of that part in bytes; the bytes after it may be torn.</param>
internal readonly record struct TagSegment(long Number, long Length);
