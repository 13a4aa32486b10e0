namespace Opossum.FileSystem;

/// <summary>The reasons for a failed file operation that the store distinguishes.</summary>
internal enum FileError
{
    Other,
    DiskFull,
    AccessDenied,
    ReadOnly,
    TooManyOpenFiles,

    /// <summary>Another program has the file open without sharing it, or is about to delete it.</summary>
    InUse,

    NotFound,
    NotAFolder,
    IsAFolder,
    IsALink,
    NotARegularFile,
    NameTooLong,

    /// <summary>The opened folder or file is no longer at the path where it was opened.</summary>
    Moved,

    /// <summary>
    /// The handle is no longer valid: the file was replaced on another machine, or the mount or the connection to the server was lost.
    /// Opening the file again helps once the name is valid again.
    /// </summary>
    HandleLost,

    /// <summary>The server did not answer in time, or cannot be reached. The handle may be valid, and the work done.</summary>
    NotAnswering,

    /// <summary>What was to be written is longer than its readers accept, as the frame of an append to which rules give too many tags.</summary>
    TooLong,
}
