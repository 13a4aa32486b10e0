namespace Opossum.FileSystem;

/// <summary>A file operation failed.</summary>
internal sealed class FileSystemException(FileError error, string operation, string path, string reason, Exception? innerException = null)
    : IOException($"Could not {operation} {path}: {reason}", innerException)
{
    public FileError Error { get; } = error;

    public string Path { get; } = path;
}
