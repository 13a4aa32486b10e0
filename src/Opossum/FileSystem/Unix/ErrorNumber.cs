using System.Runtime.InteropServices;

namespace Opossum.FileSystem.Unix;

/// <summary>The error of the C library's last call, and what it means for the store.</summary>
internal static class ErrorNumber
{
    public const int Missing = 2; // ENOENT
    public const int Interrupted = 4; // EINTR
    public const int AccessDenied = 13; // EACCES
    public const int Busy = 16; // EBUSY
    public const int Exists = 17; // EEXIST
    public const int OtherDevice = 18; // EXDEV
    public const int NotAFolder = 20; // ENOTDIR
    public const int IsAFolder = 21; // EISDIR
    public const int Invalid = 22; // EINVAL
    public const int TextBusy = 26; // ETXTBSY
    public const int NotEmpty = 39; // ENOTEMPTY, on Linux

    public static int Stale { get; } = OperatingSystem.IsMacOS() ? 70 : 116;

    /// <summary>EAGAIN, which is EWOULDBLOCK.</summary>
    public static int TryAgain { get; } = OperatingSystem.IsMacOS() ? 35 : 11;

    public static int Last => Marshal.GetLastPInvokeError();

    public static bool WasInterrupted => Last == Interrupted;

    public static FileSystemException Failure(string operation, string path) => Failure(operation, path, Last);

    /// <summary>The failure of a call on an open file. ENOENT then means a stale handle: another machine deleted the file (GlusterFS).</summary>
    public static FileSystemException HandleFailure(string operation, string path) => HandleFailure(operation, path, Last);

    /// <inheritdoc cref="HandleFailure(string, string)"/>
    public static FileSystemException HandleFailure(string operation, string path, int number) =>
        Failure(operation, path, number == Missing ? Stale : number);

    public static FileSystemException Failure(string operation, string path, int number) =>
        new(Classify(number), operation, path, Classify(number) == FileError.IsALink
            ? FileSystemException.IsALink
            : Marshal.GetPInvokeErrorMessage(number));

    /// <summary>
    /// The failure to delete a folder whose content has been deleted. ENOTEMPTY then means that a deleted file is still open (NFS), or a new one.
    /// </summary>
    public static FileSystemException FolderFailure(string path) => Last == NotEmpty
        ? new(FileError.InUse, "delete the folder", path, Marshal.GetPInvokeErrorMessage(Last))
        : Failure("delete the folder", path);

    /// <summary>The numbers below 35 are the same on Linux and macOS.</summary>
    public static FileError Classify(int number) => number switch
    {
        Missing => FileError.NotFound,
        1 or AccessDenied => FileError.AccessDenied, // EPERM
        9 => FileError.HandleLost, // EBADF: the server has closed the file
        Busy or TextBusy => FileError.InUse,
        NotAFolder => FileError.NotAFolder,
        IsAFolder => FileError.IsAFolder,
        23 or 24 => FileError.TooManyOpenFiles, // ENFILE, EMFILE
        28 => FileError.DiskFull, // ENOSPC
        30 => FileError.ReadOnly, // EROFS
        36 when OperatingSystem.IsLinux() => FileError.NameTooLong, // ENAMETOOLONG
        40 when OperatingSystem.IsLinux() => FileError.IsALink, // ELOOP
        122 when OperatingSystem.IsLinux() => FileError.DiskFull, // EDQUOT
        // EBADFD, ECONNABORTED, ENOTCONN, ESHUTDOWN, ESTALE
        77 or 103 or 107 or 108 or 116 when OperatingSystem.IsLinux() => FileError.HandleLost,
        101 or 110 or 112 or 113 when OperatingSystem.IsLinux() => FileError.NotAnswering, // ENETUNREACH, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH
        62 when OperatingSystem.IsMacOS() => FileError.IsALink,
        63 when OperatingSystem.IsMacOS() => FileError.NameTooLong,
        69 when OperatingSystem.IsMacOS() => FileError.DiskFull,
        57 or 70 when OperatingSystem.IsMacOS() => FileError.HandleLost, // ENOTCONN, ESTALE
        51 or 60 or 64 or 65 when OperatingSystem.IsMacOS() => FileError.NotAnswering, // ENETUNREACH, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH
        _ => FileError.Other,
    };
}
