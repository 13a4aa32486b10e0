namespace Opossum.FileSystem;

/// <summary>
/// A lock file in use: the handle whose locked byte is the lock, and the text, if any, that names the holder and carries its mark. Every lock of a
/// store is such a file, and none of them can be read by a user who cannot write it: a lock for reading would keep writers out.
/// </summary>
internal sealed class LockFile : IDisposable
{
    private readonly IFileSystem fileSystem;
    private readonly Volume volume;
    private readonly string path;
    private readonly KeptUncachedFile uncached;
    private readonly FileId? id;
    private IFile? handle;

    /// <summary>Opens the file, and creates it if it does not exist.</summary>
    public LockFile(IFileSystem fileSystem, Volume volume, string path)
    {
        this.fileSystem = fileSystem;
        this.volume = volume;
        this.path = path;
        uncached = new KeptUncachedFile(fileSystem, path);
        // On a share each look is a round trip, and the process that created the file has done it.
        var isDenied = volume.TakesRoundTrips && fileSystem.GetKind(path) != EntryKind.Missing;
        handle = Open(FileOpening.LockOrCreate);
        try
        {
            if (!isDenied)
                fileSystem.DenyReadingWithoutWriting(path);
            // On a share each check would be a round trip, and there the mark is checked instead.
            id = volume.TakesRoundTrips ? null : handle.GetId();
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>The handle; a new one after the last was closed.</summary>
    public IFile Handle => handle ??= Open(FileOpening.Lock);

    public string Path => path;

    /// <summary>Whether the path now leads to another file or to none. Always false on a share.</summary>
    public bool IsReplaced => id is not null && fileSystem.FindId(path) != id;

    /// <summary>Creates a unique mark. Not by the generator for keys: the first use of OpenSSL takes milliseconds.</summary>
    public static string NewMark() => Guid.NewGuid().ToString("N");

    public IFile Open(FileOpening opening) => fileSystem.Open(path, opening) ?? throw IsGone();

    /// <summary>Writes a part of the text. Where caches ignore locks, it has reached the server when this returns.</summary>
    public void Write(ReadOnlySpan<byte> text, long offset)
    {
        if (!volume.CachesIgnoreLocks)
        {
            Handle.Write(text, offset);
            return;
        }
        // GlusterFS lets no other client write to the file for a second, unless the handle used for writing is closed.
        using var writable = Open(FileOpening.WriteThrough);
        writable.Write(text, offset);
    }

    /// <summary>
    /// Writes the text from its beginning. It is on the server, or on the disk, before another process can take the lock, even if this process
    /// ends now.
    /// </summary>
    public void WriteOut(ReadOnlySpan<byte> text)
    {
        Write(text, 0);
        if (!volume.CachesIgnoreLocks)
            Handle.Flush();
    }

    /// <summary>Whether the file, read from the disk or the server, begins with this text.</summary>
    public bool Carries(ReadOnlySpan<byte> text)
    {
        var read = new byte[text.Length];
        return ReadPastCache(read) == read.Length && text.SequenceEqual(read);
    }

    /// <summary>Reads the text from the disk or the server; returns the number of bytes, or null when the file is missing.</summary>
    public int? ReadPastCache(Span<byte> text) => uncached.Read(text, 0);

    /// <summary>Closes the handles, which releases the lock; the next use opens new ones.</summary>
    public void Close()
    {
        handle?.Dispose();
        handle = null;
        uncached.Dispose();
    }

    public void Dispose() => Close();

    // A share that is not mounted now may be mounted again.
    private FileSystemException IsGone() => volume.ServerMayBeAway
        ? new(FileError.HandleLost, "open", path, "it is missing while the store is open; check that the share is mounted")
        : new(FileError.NotFound, "open", path, "it was removed while the store is open");
}
