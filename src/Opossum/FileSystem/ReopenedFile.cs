namespace Opossum.FileSystem;

/// <summary>
/// An uncached file for systems whose caches cannot be bypassed: it is reopened for each read, because a client asks the server again when
/// it opens a file (close-to-open consistency), or at the latest when another machine writes to it (its lease is broken).
/// </summary>
internal sealed class ReopenedFile(Func<IFile?> open, string path, IFile? opened = null) : IUncachedFile
{
    private IFile? fresh = opened;

    public int Read(Span<byte> buffer, long offset)
    {
        using var file = fresh ?? open() ?? throw new FileSystemException(FileError.NotFound, "open", path, "it was removed");
        fresh = null;
        return file.Read(buffer, offset);
    }

    public void Dispose() => fresh?.Dispose();
}
