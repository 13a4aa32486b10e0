namespace Opossum.FileSystem;

/// <summary>Why a file operation failed, as far as the store makes a difference.</summary>
internal enum FileError
{
    Other,
    DiskFull,
    AccessDenied,
    ReadOnly,
    TooManyOpenFiles,
    NotFound,
    NotAFolder,
    IsAFolder,
    IsALink,
    NotARegularFile,
    NameTooLong,

    /// <summary>What was opened is not where it was opened any more.</summary>
    Moved,
}
