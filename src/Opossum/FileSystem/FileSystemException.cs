namespace Opossum.FileSystem;

/// <summary>A file operation failed.</summary>
internal sealed class FileSystemException(FileError error, string operation, string path, string reason, Exception? innerException = null)
    : IOException($"Could not {operation} {path}: {reason.TrimEnd('.')}.", innerException)
{
    /// <summary>Why a link is refused: what is written through it goes to another place, and is not made durable there.</summary>
    public const string IsALink = "it is a symbolic link, and all of a store lies in its own folder.";

    /// <summary>What to do where <see cref="FileError.InUse"/> goes on.</summary>
    public const string InUseAdvice = "Another program holds the file, such as a virus scanner, an indexer or a backup program: exclude the store's folder there.";

    public FileError Error { get; } = error;

    public string Path { get; } = path;

    /// <summary>What has the file's name instead, as the end of a sentence that begins with the file; null when the failure is another.</summary>
    public string? OtherKind => Error switch
    {
        FileError.IsALink => "is a symbolic link",
        FileError.NotARegularFile => "is not a regular file",
        FileError.IsAFolder => "is not a file",
        _ => null,
    };
}
