using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Opossum.FileSystem.Windows;

/// <summary>Windows error numbers, and what they mean for the store.</summary>
internal static class WindowsError
{
    public const int InvalidFunction = 1;
    public const int FileNotFound = 2;
    public const int PathNotFound = 3;
    public const int AccessDenied = 5;
    public const int LockViolation = 33;
    public const int EndOfFile = 38;
    public const int NotSupported = 50;
    public const int FileExists = 80;
    public const int InvalidParameter = 87;
    public const int NotImplemented = 120; // ERROR_CALL_NOT_IMPLEMENTED
    public const int InvalidName = 123;
    public const int InvalidLevel = 124;
    public const int AlreadyExists = 183;
    public const int Pending = 997; // ERROR_IO_PENDING

    private const int HResult = unchecked((int)0x80070000);
    private const int NameMax = 255;

    public static int Last => Marshal.GetLastPInvokeError();

    public static bool WasMissing => Last is FileNotFound or PathNotFound;

    /// <summary>Whether the last call failed because the system or the file system does not support it.</summary>
    public static bool WasUnknown => Last is InvalidFunction or NotSupported or InvalidParameter or NotImplemented or InvalidLevel;

    /// <summary>Whether another program's handle blocked the last call, which may succeed once that handle is closed.</summary>
    [SupportedOSPlatform("windows")]
    public static bool WasInUse => Classify(Last) == FileError.InUse || IsBeingDeleted(Last);

    [SupportedOSPlatform("windows")]
    public static FileSystemException Failure(string operation, string path) => Failure(operation, path, Last);

    [SupportedOSPlatform("windows")]
    public static FileSystemException Failure(string operation, string path, int number)
    {
        var error = number switch
        {
            AccessDenied when IsBeingDeleted(number) => FileError.InUse,
            PathNotFound or InvalidName or FileNotFound when Path.GetFileName(path).Length > NameMax => FileError.NameTooLong,
            PathNotFound when IsFile(Path.GetDirectoryName(path)) => FileError.NotAFolder,
            _ => Classify(number),
        };
        return new FileSystemException(error, operation, path, Marshal.GetPInvokeErrorMessage(number));
    }

    [SupportedOSPlatform("windows")]
    public static FileSystemException Failure(string operation, string path, Exception exception)
    {
        var isWindows = (exception.HResult & HResult) == HResult;
        return isWindows
            ? Failure(operation, path, exception.HResult & 0xFFFF)
            : new FileSystemException(FileError.Other, operation, path, exception.Message, exception);
    }

    public static FileError Classify(int number) => number switch
    {
        FileNotFound or PathNotFound => FileError.NotFound,
        4 => FileError.TooManyOpenFiles, // ERROR_TOO_MANY_OPEN_FILES
        AccessDenied => FileError.AccessDenied,
        19 => FileError.ReadOnly, // ERROR_WRITE_PROTECT
        32 or LockViolation or 1224 => FileError.InUse, // ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION, ERROR_USER_MAPPED_FILE
        145 => FileError.InUse, // ERROR_DIR_NOT_EMPTY: a deleted file keeps its name until its last handle is closed
        // ERROR_INVALID_HANDLE, ERROR_BAD_NETPATH, ERROR_DEV_NOT_EXIST, ERROR_UNEXP_NET_ERR, ERROR_NETNAME_DELETED, ERROR_BAD_NET_NAME
        6 or 53 or 55 or 59 or 64 or 67 => FileError.HandleLost,
        240 or 1006 or 1167 => FileError.HandleLost, // ERROR_VC_DISCONNECTED, ERROR_FILE_INVALID, ERROR_DEVICE_NOT_CONNECTED
        121 => FileError.NotAnswering, // ERROR_SEM_TIMEOUT
        1231 or 1236 => FileError.HandleLost, // ERROR_NETWORK_UNREACHABLE, ERROR_CONNECTION_ABORTED
        39 or 112 or 1295 => FileError.DiskFull, // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED
        206 => FileError.NameTooLong, // ERROR_FILENAME_EXCED_RANGE
        267 => FileError.NotAFolder, // ERROR_DIRECTORY
        _ => FileError.Other,
    };

    // A deleted file keeps its name until its last handle is closed; until then, opening it fails as if permission were missing.
    [SupportedOSPlatform("windows")]
    private static bool IsBeingDeleted(int number) => number == AccessDenied && NtDll.GetLastStatus() == NtDll.DeletePending;

    [SupportedOSPlatform("windows")]
    private static bool IsFile(string? path) =>
        path is not null && Kernel32.GetAttributes(path) is var attributes && attributes != Kernel32.NoAttributes
            && (attributes & Kernel32.IsFolder) == 0;
}
