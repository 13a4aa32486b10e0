namespace Opossum.FileSystem;

/// <summary>Tells one file of this machine from every other that is there at the same time, whatever its names are.</summary>
/// <param name="Volume">The file system that it lies on.</param>
/// <param name="Number">Its number there.</param>
internal readonly record struct FileId(ulong Volume, ulong Number);
