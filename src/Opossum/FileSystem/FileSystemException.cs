namespace Opossum.FileSystem;

/// <summary>A file operation failed.</summary>
internal sealed class FileSystemException(FileError error, string operation, string path, string reason, Exception? innerException = null)
    : IOException($"Could not {operation} {path}: {reason.TrimEnd('.')}.", innerException)
{
    /// <summary>The reason for refusing a link: writes through it go elsewhere, and are not made durable there.</summary>
    public const string IsALink = "it is a symbolic link or a mounted volume, and everything in a store must be in its own folder.";

    /// <summary>The advice for a lasting <see cref="FileError.InUse"/>.</summary>
    public const string InUseAdvice =
        "Another program holds the file, such as a virus scanner, an indexer or a backup program: exclude the store's folder there.";

    public FileError Error { get; } = error;

    public string Path { get; } = path;

    /// <summary>What has the file's name instead, as the end of a sentence that begins with its path; null for any other failure.</summary>
    public string? OtherKind => Error switch
    {
        FileError.IsALink => "is a symbolic link or a mounted volume",
        FileError.NotARegularFile => "is not a regular file",
        FileError.IsAFolder => "is not a file",
        _ => null,
    };

    /// <summary>Whether the file may be intact: this user, or this process for now, does not get at it.</summary>
    public bool IsOutOfReach => Error is FileError.AccessDenied or FileError.InUse or FileError.TooManyOpenFiles or FileError.HandleLost
        or FileError.NotAnswering;
}
