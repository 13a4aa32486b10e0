using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Opening;

/// <summary>The parts of an open store. Without the parts for writing it is open read-only.</summary>
internal sealed record OpenStore(StoreFolder Folder, IReadableIndex Index, EventFiles EventFiles, WritingParts? Writing = null) : IDisposable
{
    /// <summary>Whether this opening created the store.</summary>
    public bool IsNew { get; init; }

    /// <summary>Whether the index is to be made of other tag rules, as their files were changed by hand.</summary>
    public bool HasOtherRules { get; init; }

    /// <summary>Finds a reason why the folder cannot be used, even if no operation has failed yet; null when none is known.</summary>
    public Exception? FindTrouble()
    {
        try
        {
            ThrowIfMoved();
            return Folder.HasEvents ? null : new FileSystemException(FileError.NotFound, "use", Folder.Layout.Events, "the folder no longer exists.");
        }
        catch (FileSystemException e)
        {
            return e;
        }
    }

    /// <summary>
    /// Checks that the path still leads to the folder in which the store was opened. Not checked on a share or when open read-only.
    /// </summary>
    /// <exception cref="FileSystemException">It does not.</exception>
    public void ThrowIfMoved() => Writing?.StoreLock.ThrowIfMoved();

    public void Dispose()
    {
        Writing?.RunBuilder.Dispose();
        Index.Dispose();
        EventFiles.Dispose();
        Writing?.StoreLock.Dispose();
        Folder.FileSystem.Dispose();
    }
}
