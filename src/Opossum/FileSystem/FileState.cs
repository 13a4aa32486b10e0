namespace Opossum.FileSystem;

/// <summary>The state of an open file that is known without reading it.</summary>
/// <param name="IsUnlinked">Whether no name leads to it any more.</param>
/// <param name="Length">Its length in bytes.</param>
internal readonly record struct FileState(bool IsUnlinked, long Length);
