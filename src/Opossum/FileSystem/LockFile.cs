using System.Security.Cryptography;

namespace Opossum.FileSystem;

/// <summary>A lock file in use: the handle whose locked byte is the lock, and the text that names the holder and carries its mark.</summary>
internal sealed class LockFile : IDisposable
{
    private readonly IFileSystem fileSystem;
    private readonly Volume volume;
    private readonly string path;
    private readonly KeptUncachedFile uncached;
    private readonly FileId? id;
    private IFile? handle;

    /// <summary>Opens the file, which is created when it is not there.</summary>
    public LockFile(IFileSystem fileSystem, Volume volume, string path)
    {
        this.fileSystem = fileSystem;
        this.volume = volume;
        this.path = path;
        uncached = new KeptUncachedFile(fileSystem, path);
        handle = Open(FileOpening.LockOrCreate);
        try
        {
            // On a share it would be a round trip for each look, and there the mark is asked for.
            id = volume.IsNetwork ? null : handle.GetId();
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>The handle; another one when the last was closed.</summary>
    public IFile Handle => handle ??= Open(FileOpening.Lock);

    /// <summary>Whether the path leads to another file by now, or to none. Never on a share.</summary>
    public bool IsReplaced => id is not null && fileSystem.FindId(path) != id;

    /// <summary>A mark that nobody else writes.</summary>
    public static string NewMark() => Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));

    /// <summary>Opens another handle.</summary>
    public IFile Open(FileOpening opening) => fileSystem.Open(path, opening) ?? throw IsGone();

    /// <summary>Writes a part of the text. Where caches do not follow locks, it is with the server when this returns.</summary>
    public void Write(ReadOnlySpan<byte> text, long offset)
    {
        if (!volume.CachesIgnoreLocks)
        {
            Handle.Write(text, offset);
            return;
        }
        // GlusterFS lets no other client write to the file for a second, except when the handle that was written through is closed.
        using var writable = Open(FileOpening.WriteThrough);
        writable.Write(text, offset);
    }

    /// <summary>Reads the text from the disk or server itself; returns how many bytes. Null: the file is not there.</summary>
    public int? ReadPastCache(Span<byte> text) => uncached.Read(text, 0);

    /// <summary>Closes the handles, which frees what is locked; what is used next opens others.</summary>
    public void Close()
    {
        handle?.Dispose();
        handle = null;
        uncached.Dispose();
    }

    public void Dispose() => Close();

    // A share that is not mounted now may be mounted again.
    private FileSystemException IsGone() => volume.IsNetwork
        ? new(FileError.HandleLost, "open", path, "it is not there while the store is open; see whether the share is mounted")
        : new(FileError.NotFound, "open", path, "it was removed while the store is open");
}
