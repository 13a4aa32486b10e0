namespace Opossum.FileSystem;

/// <summary>A file that is read past this machine's caches over and over, through one handle as long as that works. Used by one thread at a time.</summary>
internal sealed class KeptUncachedFile(IFileSystem fileSystem, string path) : IDisposable
{
    private IUncachedFile? handle;

    /// <summary>Reads into the whole buffer, or to the end of the file; returns how many bytes. Null: the file is not there.</summary>
    public int? Read(Span<byte> buffer, long offset)
    {
        try
        {
            if (handle is not null)
                return handle.Read(buffer, offset);
        }
        catch (FileSystemException)
        {
            // The server was away and this handle may be dead; if a new one fails too, it is the server.
            Dispose();
        }
        handle = fileSystem.OpenUncached(path);
        return handle?.Read(buffer, offset);
    }

    /// <summary>Closes the handle; the next read opens another.</summary>
    public void Dispose()
    {
        handle?.Dispose();
        handle = null;
    }
}
