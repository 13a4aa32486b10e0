namespace Opossum.FileSystem;

/// <summary>
/// For systems whose caches cannot be passed by: the file is opened anew for each read, because a server is asked again when a file is
/// opened (close-to-open consistency), or at the latest when another machine writes to it (its lease is broken).
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
