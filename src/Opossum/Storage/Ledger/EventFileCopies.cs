using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>
/// Copies event files of a store into another folder of event files. A crash at any moment leaves whole appends there, without a gap:
/// copies are written, flushed and read back in a staging folder, and take their names afterwards.
/// </summary>
internal sealed class EventFileCopies(EventFiles from, StoreFolder to)
{
    private readonly IFileSystem fileSystem = to.FileSystem;
    private readonly StoreLayout layout = to.Layout;
    private readonly Volume volume = to.Volume;
    private readonly EventFileStaging staging = new(from, to);

    /// <summary>Makes durable what an interrupted run left with its name, and removes what it left without.</summary>
    /// <param name="last">The last position that has a copy.</param>
    public void Settle(long last)
    {
        foreach (var name in fileSystem.List(layout.Events))
        {
            if (!layout.TryParseShardStaging(name, out var shard))
                continue;
            using var copies = new EventFiles(to);
            FlushNames(shard, copies.Listing.FilesOf(shard));
            staging.Remove(shard);
        }
        // A run that ended between a folder's renaming and its flush leaves no staging folder.
        if (last > 0 && !DurableFile.TryFlush(fileSystem, layout.SealedFile(layout.ShardOf(last))))
            FlushNames(layout.ShardOf(last), [last]);
        fileSystem.FlushFolder(layout.Events);
    }

    /// <summary>Copies the files of some positions, ascending, of one folder of event files; durable when it returns.</summary>
    /// <param name="positions">The positions. All lower positions have durable copies.</param>
    /// <param name="proceed">Called between steps with the number of copies made; throws to stop the work.</param>
    /// <returns>The bytes of the copies.</returns>
    /// <exception cref="StoreDamagedException">A file of the store is missing or bad.</exception>
    /// <exception cref="FileSystemException">A copy could not be written, flushed or read back.</exception>
    public long Copy(IReadOnlyList<long> positions, Action<int> proceed)
    {
        var shard = layout.ShardOf(positions[0]);
        var staged = staging.Write(shard, positions, proceed);
        if (!TryMoveFolder(shard, staged))
            MoveInOrder(shard, staged);
        staging.Remove(shard);
        return staged.Sum(static copy => (long)copy.Length);
    }

    // One rename for all of them. Where a journal keeps the order of names it would save nothing, and Windows refuses it while a scanner
    // has a file in the folder open.
    private bool TryMoveFolder(long shard, List<StagedCopy> staged)
    {
        if (volume.CanFlushRange || fileSystem.GetKind(layout.ShardFolder(shard)) != EntryKind.Missing)
            return false;
        try
        {
            fileSystem.MoveFolder(layout.ShardFolderStaging(shard), layout.ShardFolder(shard));
        }
        catch (FileSystemException e) when (e.Error is FileError.AccessDenied or FileError.InUse)
        {
            return false;
        }
        FlushNames(shard, [staged[0].Position]);
        fileSystem.FlushFolder(layout.Events);
        return true;
    }

    private void MoveInOrder(long shard, List<StagedCopy> staged)
    {
        fileSystem.CreateFolder(layout.ShardFolder(shard));
        fileSystem.FlushFolder(layout.Events);
        var moved = new List<long>();
        foreach (var copy in staged)
        {
            // Order matters: an event proves that everything up to its "after" was committed. So those are durable before it appears, or a
            // power cut could leave a proof of events that are missing. A journal keeps that order by itself.
            if (!volume.CanFlushRange && moved.Count > 0 && copy.After >= moved[0])
            {
                FlushNames(shard, moved);
                moved.Clear();
            }
            fileSystem.Move(copy.Path, layout.EventFile(copy.Position));
            moved.Add(copy.Position);
        }
        FlushNames(shard, volume.CanFlushRange ? [moved[^1]] : moved);
    }

    // The bytes are durable already. Where one flush covers more than one name, it must be that of the whole (see Volume.CanFlushWhole).
    private void FlushNames(long shard, List<long> positions)
    {
        if (volume.CanFlushWhole && (positions.Count > 1 || !volume.FileFlushCoversName))
        {
            fileSystem.FlushWhole(layout.Root);
            return;
        }
        if (volume.FileFlushCoversName)
            fileSystem.ForEach(positions.Count, at => DurableFile.FlushBytes(fileSystem, layout.EventFile(positions[at])));
        if (positions.Count > 0)
            fileSystem.FlushFolder(layout.ShardFolder(shard));
    }
}
