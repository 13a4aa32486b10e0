using System.Text;

namespace Opossum.Cli;

/// <summary>Writes the files that a command makes.</summary>
internal static class NewFile
{
    /// <summary>Writes it under another name until it is whole and durable, so that a file with this name is never half of it.</summary>
    /// <param name="isSecret">Whether only this user may read it. On Windows the rights of the folder apply.</param>
    public static async Task<T> WriteAsync<T>(string path, Func<Stream, Task<T>> write, bool isSecret = false)
    {
        // A name of its own: what another run has written under it is its file.
        var part = $"{path}.{Guid.NewGuid():N}.part";
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (isSecret && !OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        // Order matters: the name is taken first, because a move replaces what has it meanwhile, and before the try, which deletes the file.
        await new FileStream(path, options).DisposeAsync().ConfigureAwait(false);
        try
        {
            T result;
            var file = new FileStream(part, options);
            await using (file.ConfigureAwait(false))
            {
                result = await write(file).ConfigureAwait(false);
                file.Flush(flushToDisk: true);
            }
            File.Move(part, path, overwrite: true);
            return result;
        }
        catch
        {
            File.Delete(part);
            File.Delete(path);
            throw;
        }
    }

    /// <summary>The same for a text, in UTF-8.</summary>
    public static void Write(string path, string text, bool isSecret = false) => WriteAsync(path, file =>
    {
        file.Write(Encoding.UTF8.GetBytes(text));
        return Task.FromResult(true);
    }, isSecret).GetAwaiter().GetResult();

    /// <exception cref="CliException">The file exists.</exception>
    public static void ThrowIfExists(string path)
    {
        if (Path.Exists(path))
            throw new CliException(ExitCode.Usage, $"{path} exists already. Choose another file, or delete it. Nothing was written.");
    }
}
