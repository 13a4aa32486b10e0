using Opossum.FileSystem;

namespace Opossum.Storage.Log;

/// <summary>Creates, writes and removes the files of the index and its lines, as their volume needs it.</summary>
internal sealed class DerivedFiles(StoreFolder folder)
{
    /// <summary>The size in bytes of the smallest blocks in which file systems allocate space; those of larger ones are multiples of it.</summary>
    public const int BlockMin = 512;

    private const int WriteTriesMax = 20;

    private static readonly TimeSpan writeRetryPause = TimeSpan.FromMilliseconds(10);

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Volume volume = folder.Volume;

    /// <summary>Creates the index file where it is missing.</summary>
    /// <remarks>
    /// For a while, a share's client may report a name missing that another machine has just created; a creation is decided by the server.
    /// </remarks>
    public void MakeSureOfNames()
    {
        fileSystem.CreateFolder(layout.Index);
        fileSystem.Open(layout.IndexFile, FileOpening.ReadWriteOrCreate)?.Dispose();
    }

    /// <summary>Removes a file, or empties it where a removed file could stay under its name.</summary>
    /// <remarks>
    /// A rebuild creates new files; see docs/decisions/0005. But while a process reads a file that another machine has deleted, the name still leads
    /// to that file on the reader's machine (GlusterFS), and a new file would not be found; see docs/decisions/0016.
    /// </remarks>
    public void Remove(string path)
    {
        if (!volume.CachesIgnoreLocks)
        {
            fileSystem.Delete(path);
            return;
        }
        using var emptied = fileSystem.Open(path, FileOpening.ReadWriteOrCreate)!;
        emptied.SetLength(0);
        emptied.Flush();
    }

    public void WriteHeader(string path, byte[] header)
    {
        using var created = (volume.CachesIgnoreLocks ? fileSystem.Open(path, FileOpening.ReadWrite) : fileSystem.CreateNew(path))
            ?? throw new FileSystemException(FileError.Other, "create", path, "it was just deleted and exists again");
        created.Write(header, 0);
        if (volume.IsWrittenThrough)
            created.Flush();
    }

    /// <summary>Writes bytes by the handle that is kept open or, where such handles are not allowed, by one for this write.</summary>
    public void Write(IFile kept, string path, ReadOnlyMemory<byte> bytes, long offset)
    {
        if (volume.ForbidsKeptWriteHandles)
            Write(kept, path, file => Send(file, bytes, offset));
        else
            Send(kept, bytes, offset);
    }

    /// <summary>Writes by the handle that is kept open or, where such handles are not allowed, by one for this write.</summary>
    /// <param name="write">Writes; repeated if the handle led to a file that was replaced.</param>
    public void Write(IFile kept, string path, Action<IFile> write) => Write(kept, path, write, static (file, write) => write(file));

    /// <summary>The same without a closure, for the path of every append.</summary>
    public void Write<T>(IFile kept, string path, T what, Action<IFile, T> write)
    {
        if (!volume.ForbidsKeptWriteHandles)
        {
            write(kept, what);
            return;
        }
        for (var tries = 1; ; tries++)
        {
            using var writable = fileSystem.Open(path, volume.CachesIgnoreLocks ? FileOpening.WriteThrough : FileOpening.ReadWrite)
                ?? throw new FileSystemException(FileError.NotFound, "open", path, "it was removed while the store is open");
            try
            {
                write(writable, what);
                return;
            }
            catch (FileSystemException e) when (e.Error == FileError.HandleLost && tries < WriteTriesMax)
            {
                // For about a second, a client may resolve a name to a file that another machine has replaced.
                fileSystem.Pause(tries * writeRetryPause);
            }
        }
    }

    // No byte arrives at the server after another machine has the lock. It need not be durable: it can be derived.
    private void Send(IFile file, ReadOnlyMemory<byte> bytes, long offset)
    {
        file.Write(bytes.Span, offset);
        if (volume.IsWrittenThrough)
            file.FlushRange();
    }
}
