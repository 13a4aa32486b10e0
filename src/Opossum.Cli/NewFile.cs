using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Opossum.Cli;

/// <summary>Writes the files that a command makes.</summary>
internal static partial class NewFile
{
    /// <summary>Writes it under another name until it is whole and durable, so that a file with this name is never half of it.</summary>
    /// <param name="isSecret">Whether only this user may read it. On Windows the rights of the folder apply.</param>
    /// <exception cref="CliException">Somebody else has made a file with this name.</exception>
    public static async Task<T> WriteAsync<T>(string path, Func<Stream, Task<T>> write, bool isSecret = false)
    {
        // A name of its own: what another run has written under it is its file.
        var part = $"{path}.{Guid.NewGuid():N}.part";
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (isSecret && !OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        try
        {
            T result;
            var file = new FileStream(part, options);
            await using (file.ConfigureAwait(false))
            {
                result = await write(file).ConfigureAwait(false);
                file.Flush(flushToDisk: true);
            }
            Move(part, path, isSecret);
            return result;
        }
        catch
        {
            File.Delete(part);
            throw;
        }
    }

    /// <summary>The same for a text, in UTF-8.</summary>
    public static void Write(string path, string text, bool isSecret = false) => WriteAsync(path, file =>
    {
        file.Write(Encoding.UTF8.GetBytes(text));
        return Task.FromResult(true);
    }, isSecret).GetAwaiter().GetResult();

    /// <param name="isKey">Whether the file is that of a key, which may be needed for what it has encrypted or signed.</param>
    /// <exception cref="CliException">The file exists.</exception>
    public static void ThrowIfExists(string path, bool isKey = false)
    {
        if (Path.Exists(path))
        {
            throw new CliException(ExitCode.Usage, isKey
                ? $"{path} exists already, and a key is never overwritten. Choose another file. Nothing was written."
                : $"{path} exists already. Choose another file, or delete it. Nothing was written.");
        }
    }

    // Two runs may write the same file. .NET looks whether there is one before it moves; a link of that name fails where there is one.
    private static void Move(string part, string path, bool isKey)
    {
        var isLinked = !OperatingSystem.IsWindows() && Link(part, path) == 0;
        try
        {
            if (!isLinked)
                File.Move(part, path);
        }
        catch (IOException)
        {
            ThrowIfExists(path, isKey);
            throw;
        }
        try
        {
            if (isLinked)
                File.Delete(part);
            // The name is durable once its folder is flushed, where libc can do that.
            if (!OperatingSystem.IsWindows())
                FlushFolder(Path.GetDirectoryName(Path.GetFullPath(path))!);
        }
        catch
        {
            File.Delete(path);
            throw;
        }
    }

    private static void FlushFolder(string folder)
    {
        using var opened = Open(folder, flags: 0);
        if (!opened.IsInvalid)
            RandomAccess.FlushToDisk(opened);
    }

    [LibraryImport("libc", EntryPoint = "link", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string path, string newPath);

    // .NET opens no folders.
    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags);
}
