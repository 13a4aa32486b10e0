namespace Opossum.FileSystem;

/// <summary>Identifies a file on this machine among all files that exist at the same time, whatever its names are.</summary>
internal readonly record struct FileId(ulong Volume, ulong Number);
