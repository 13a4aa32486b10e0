namespace Opossum.FileSystem;

/// <summary>
/// A file that is read repeatedly, bypassing this machine's caches, through one handle as long as it works. Used by one thread at a time.
/// </summary>
internal sealed class KeptUncachedFile(IFileSystem fileSystem, string path) : IDisposable
{
    private IUncachedFile? handle;

    /// <summary>Reads until the buffer is full or the file ends; returns the number of bytes, or null when the file is missing.</summary>
    public int? Read(Span<byte> buffer, long offset)
    {
        try
        {
            if (handle is not null)
                return handle.Read(buffer, offset);
        }
        catch (FileSystemException)
        {
            // The server was unreachable and this handle may be dead; if a new one fails too, the server is the cause.
            Dispose();
        }
        handle = fileSystem.OpenUncached(path);
        return handle?.Read(buffer, offset);
    }

    /// <summary>Closes the handle; the next read opens a new one.</summary>
    public void Dispose()
    {
        handle?.Dispose();
        handle = null;
    }
}
