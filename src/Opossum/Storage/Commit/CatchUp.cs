using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Commit;

/// <summary>
/// Brings the index, under the lock, up to what other processes have appended, or recovers what a process left that ended in the middle.
/// </summary>
internal sealed class CatchUp(WritingParts writing)
{
    private readonly EventIndex index = writing.Index;

    // While the lock comes from no other process, no line without a frame can be another's.
    private long turns = -1;

    /// <summary>Waits for the store's lock, takes it and catches up.</summary>
    /// <inheritdoc cref="StoreLock.Acquire"/>
    public StoreLock.Held Acquire(TimeSpan timeout, long? since = null)
    {
        if (TryAcquire(timeout, since, canLoad: false, out var held))
            return held;
        // A whole index is read while other processes append.
        var waitedFrom = held.GiveBack(() => index.CatchUp());
        TryAcquire(timeout, waitedFrom, canLoad: true, out held);
        return held;
    }

    // False: it was taken, but the index was replaced.
    private bool TryAcquire(TimeSpan timeout, long? since, bool canLoad, out StoreLock.Held held)
    {
        held = writing.StoreLock.Acquire(timeout, since);
        try
        {
            return TryRun(held, canLoad);
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    private bool TryRun(StoreLock.Held held, bool canLoad)
    {
        if (turns != held.Turns)
            ThrowIfReplica();
        var state = index.CatchUp(underLock: true, canLoad: canLoad);
        if (state == IndexState.Replaced)
            return false;
        var isCurrent = state == IndexState.Current;
        // The process that wrote the last lines may have ended before their frames.
        if (held.Files is { IsUnknown: true } || (held.Files is { HasLines: true } && turns != held.Turns && index.HasMoreLines))
            isCurrent = false;
        if (!isCurrent)
            writing.Recovery.Run(held);
        turns = held.Turns;
        return true;
    }

    // Who makes it one holds the lock.
    private void ThrowIfReplica()
    {
        var folder = writing.Folder;
        if (folder.FileSystem.GetKind(folder.Layout.ReplicaFile) == EntryKind.Missing || folder.FindReplica() is not { } replica)
            return;
        throw new FileSystemException(FileError.Moved, "append to", folder.Root,
            replica.InWords(folder.Root, StoreFile.Read(folder.FileSystem, folder.Layout)));
    }

    /// <summary>
    /// Notes that lines are being written: what fails in the middle leaves lines that the next append, by any process, has to look at.
    /// </summary>
    public void BeginLines() => turns = -1;

    public void EndLines(StoreLock.Held held) => turns = held.Turns;
}
