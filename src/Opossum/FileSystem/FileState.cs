namespace Opossum.FileSystem;

/// <summary>What is known of an open file without reading it.</summary>
/// <param name="IsUnlinked">No name leads to it any more.</param>
/// <param name="Length">How long it is.</param>
internal readonly record struct FileState(bool IsUnlinked, long Length);
