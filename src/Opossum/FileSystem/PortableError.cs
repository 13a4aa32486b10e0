using System.Runtime.InteropServices;

namespace Opossum.FileSystem;

/// <summary>What an exception of .NET's file calls means for the store.</summary>
internal static class PortableError
{
    private const int WindowsError = unchecked((int)0x80070000);

    public static bool IsOne(Exception exception) => exception is IOException and not FileSystemException or UnauthorizedAccessException;

    public static FileSystemException Failure(string operation, string path, Exception exception, bool wantsFolder = false) =>
        new(Classify(exception, path, wantsFolder), operation, path, exception.Message, exception);

    /// <summary>For a failed call of Windows.</summary>
    public static FileSystemException LastFailure(string operation, string path)
    {
        var number = Marshal.GetLastPInvokeError();
        return new FileSystemException(ClassifyWindows(number), operation, path, Marshal.GetPInvokeErrorMessage(number));
    }

    /// <summary>Whether a file was not created because its name is taken.</summary>
    public static bool IsTaken(IOException exception) => exception.HResult is ErrorNumber.Exists or (WindowsError | 80) or (WindowsError | 183);

    /// <summary>A folder opened as a file is refused as if permission were missing.</summary>
    public static FileError Classify(Exception exception, string path, bool wantsFolder = false) => exception switch
    {
        UnauthorizedAccessException when !wantsFolder && Directory.Exists(path) => FileError.IsAFolder,
        UnauthorizedAccessException => FileError.AccessDenied,
        DirectoryNotFoundException when File.Exists(Path.GetDirectoryName(path)) => FileError.NotAFolder,
        FileNotFoundException or DirectoryNotFoundException => FileError.NotFound,
        PathTooLongException => FileError.NameTooLong,
        // Elsewhere than on Windows the code is the C library's error number.
        _ => (exception.HResult & WindowsError) == WindowsError ? ClassifyWindows(exception.HResult & 0xFFFF) : ErrorNumber.Classify(exception.HResult),
    };

    public static FileError ClassifyWindows(int number) => number switch
    {
        2 or 3 => FileError.NotFound, // ERROR_FILE_NOT_FOUND, ERROR_PATH_NOT_FOUND
        4 => FileError.TooManyOpenFiles, // ERROR_TOO_MANY_OPEN_FILES
        5 => FileError.AccessDenied, // ERROR_ACCESS_DENIED
        19 => FileError.ReadOnly, // ERROR_WRITE_PROTECT
        39 or 112 or 1295 => FileError.DiskFull, // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED
        206 => FileError.NameTooLong, // ERROR_FILENAME_EXCED_RANGE
        267 => FileError.NotAFolder, // ERROR_DIRECTORY
        _ => FileError.Other,
    };
}
