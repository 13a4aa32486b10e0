using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Portable;

/// <summary>Maps exceptions of .NET's file calls to the store's errors, where their code is the C library's error number.</summary>
internal static class PortableError
{
    public static bool IsOne(Exception exception) => exception is IOException and not FileSystemException or UnauthorizedAccessException;

    /// <summary>Makes a file call, and maps its exception.</summary>
    public static T Guard<T>(string operation, string path, Func<T> call, bool wantsFolder = false)
    {
        try
        {
            return call();
        }
        catch (Exception exception) when (IsOne(exception))
        {
            throw Failure(operation, path, exception, wantsFolder);
        }
    }

    /// <inheritdoc cref="Guard{T}"/>
    public static void Guard(string operation, string path, Action call, bool wantsFolder = false) => Guard(operation, path, () =>
    {
        call();
        return true;
    }, wantsFolder);

    public static FileSystemException Failure(string operation, string path, Exception exception, bool wantsFolder = false) =>
        new(Classify(exception, path, wantsFolder), operation, path, exception.Message, exception);

    /// <summary>Whether a file was not created because its name is taken.</summary>
    public static bool IsTaken(IOException exception) => exception.HResult == ErrorNumber.Exists;

    /// <summary>A folder opened as a file is refused as if permission were missing.</summary>
    public static FileError Classify(Exception exception, string path, bool wantsFolder = false) => exception switch
    {
        UnauthorizedAccessException when !wantsFolder && Directory.Exists(path) => FileError.IsAFolder,
        UnauthorizedAccessException => FileError.AccessDenied,
        DirectoryNotFoundException when File.Exists(Path.GetDirectoryName(path)) => FileError.NotAFolder,
        FileNotFoundException or DirectoryNotFoundException => FileError.NotFound,
        PathTooLongException => FileError.NameTooLong,
        _ => ErrorNumber.Classify(exception.HResult),
    };
}
