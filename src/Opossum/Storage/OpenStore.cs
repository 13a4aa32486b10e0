using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>The parts of a store that has been opened. Without a lock and a committer it is open for reading only.</summary>
internal sealed record OpenStore(IFileSystem FileSystem, StoreLayout Layout, Volume Volume, IReadableIndex Index, EventFiles EventFiles, Guid? Id, StoreLock? StoreLock = null, Committer? Committer = null) : IDisposable
{
    /// <summary>What keeps the store from going on, although nobody may have noticed yet; null: nothing is known to.</summary>
    public Exception? FindTrouble()
    {
        if (Committer?.FaultedBy is { } fault)
            return fault;
        try
        {
            ThrowIfMoved();
            return FileSystem.GetKind(Layout.Events) == EntryKind.Folder ? null : new FileSystemException(FileError.NotFound, "use", Layout.Events, "the folder is not there any more.");
        }
        catch (FileSystemException e)
        {
            return e;
        }
    }

    /// <summary>Makes sure that the store's folder is the one in which it was opened. On a share, and where it is open for reading only, nobody asks.</summary>
    /// <exception cref="FileSystemException">It is not.</exception>
    public void ThrowIfMoved() => StoreLock?.ThrowIfMoved();

    public void Dispose()
    {
        Index.Dispose();
        StoreLock?.Dispose();
        FileSystem.Dispose();
    }
}
