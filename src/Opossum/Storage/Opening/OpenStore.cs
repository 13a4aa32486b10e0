using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Opening;

/// <summary>The parts of a store that has been opened. Without those for writing it is open for reading only.</summary>
internal sealed record OpenStore(StoreFolder Folder, IReadableIndex Index, EventFiles EventFiles, WritingParts? Writing = null) : IDisposable
{
    /// <summary>What keeps the folder from being used, although nobody may have noticed yet; null: nothing is known to.</summary>
    public Exception? FindTrouble()
    {
        try
        {
            ThrowIfMoved();
            return Folder.HasEvents ? null : new FileSystemException(FileError.NotFound, "use", Folder.Layout.Events, "the folder is not there any more.");
        }
        catch (FileSystemException e)
        {
            return e;
        }
    }

    /// <summary>Makes sure that the store's folder is the one in which it was opened. On a share, and where it is open for reading only, nobody asks.</summary>
    /// <exception cref="FileSystemException">It is not.</exception>
    public void ThrowIfMoved() => Writing?.StoreLock.ThrowIfMoved();

    public void Dispose()
    {
        Index.Dispose();
        Writing?.StoreLock.Dispose();
        Folder.FileSystem.Dispose();
    }
}
