namespace Opossum.FileSystem;

/// <summary>Why a file operation failed, as far as the store makes a difference.</summary>
internal enum FileError
{
    Other,
    DiskFull,
    AccessDenied,
    ReadOnly,
    TooManyOpenFiles,

    /// <summary>Another program has the file open in a way that is in the way, or is about to delete it.</summary>
    InUse,

    NotFound,
    NotAFolder,
    IsAFolder,
    IsALink,
    NotARegularFile,
    NameTooLong,

    /// <summary>What was opened is not where it was opened any more.</summary>
    Moved,

    /// <summary>
    /// The handle leads nowhere any more: the file was replaced on another machine, or the mount or the connection to the server went away.
    /// When the name leads somewhere again, opening the file again helps.
    /// </summary>
    HandleLost,
}
