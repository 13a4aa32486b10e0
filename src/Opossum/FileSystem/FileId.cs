namespace Opossum.FileSystem;

/// <summary>Identifies a file on this machine among all files that exist at the same time, whatever its names are.</summary>
/// <param name="Volume">The file system that the file is on.</param>
/// <param name="Number">Its number there.</param>
internal readonly record struct FileId(ulong Volume, ulong Number);
