using System.Buffers;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;

namespace Opossum.Storage.Ledger;

/// <summary>
/// Copies event files of a store into another folder of event files. A crash at any moment leaves whole appends there, without a gap:
/// copies are written, flushed and read back in a staging folder, and take their names afterwards.
/// </summary>
/// <param name="isInTurn">
/// Whether one file is written and read back after another, on a local disk: threads that do so side by side would take the processors from those who
/// append to the store meanwhile.
/// </param>
internal sealed class EventFileCopies(EventFiles from, StoreFolder to, bool isInTurn = false)
{
    private readonly IFileSystem fileSystem = to.FileSystem;
    private readonly StoreLayout layout = to.Layout;
    private readonly Volume volume = to.Volume;

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
            RemoveStaging(shard);
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
        var staged = Stage(shard, positions, proceed);
        if (!TryMoveFolder(shard, staged))
            MoveInOrder(shard, staged);
        RemoveStaging(shard);
        return staged.Sum(static copy => (long)copy.Length);
    }

    // Durable copies under other names. A staging folder that an interrupted run left is removed first.
    private List<Staged> Stage(long shard, IReadOnlyList<long> positions, Action<int> proceed)
    {
        // Order matters: a machine that has lost its lock would remove another one's copies.
        proceed(0);
        RemoveStaging(shard);
        var folder = layout.ShardFolderStaging(shard);
        fileSystem.CreateFolder(folder);
        var staged = new List<Staged>(positions.Count);
        foreach (var some in positions.Chunk(GroupFlush.OpenFilesMax))
        {
            var isLast = staged.Count + some.Length == positions.Count;
            staged.AddRange(Stage(some, folder, isLast));
            proceed(staged.Count);
        }
        return staged;
    }

    private void RemoveStaging(long shard) => fileSystem.RemoveFolder(layout.ShardFolderStaging(shard));

    private Staged[] Stage(long[] positions, string folder, bool isLast)
    {
        var copies = new Staged[positions.Length];
        try
        {
            ForEach(positions.Length, at => copies[at] = Stage(positions[at], folder));
            GroupFlush.FlushStaged(fileSystem, volume, [.. copies.Select(static copy => copy.File!)],
                copies.Sum(static copy => (long)copy.Length), folder, layout.Root, isLast);
        }
        finally
        {
            foreach (var copy in copies)
                copy.File?.Dispose();
        }
        ForEach(copies.Length, at => ReadBack(copies[at]));
        return copies;
    }

    private Staged Stage(long position, string folder)
    {
        var bytes = from.ReadBytes(position);
        string? problem = "is missing";
        if (bytes is null || from.Read(bytes, position, out problem) is not { } stored)
        {
            throw new StoreDamagedException(from.PathOf(position), position,
                $"Position {position} was not copied: {from.PathOf(position)} {problem ?? "is not an event file"}. {StoreCheck.InWords} names the "
                    + "remedy; run this again afterwards.");
        }
        var path = FilePath.Join(folder, StoreLayout.EventFileName(position));
        var file = DurableFile.CreateAgain(fileSystem, path);
        file.WriteOrClose(bytes);
        return new Staged(position, stored.Commit.After, path, file, bytes.Length, Crc32C.Of(bytes));
    }

    private void ForEach(int count, Action<int> work)
    {
        if (!isInTurn || volume.TakesRoundTrips)
        {
            fileSystem.ForEach(count, work);
            return;
        }
        for (var at = 0; at < count; at++)
        {
            work(at);
            // An append that waits for the processor has it now, and not at the end of this thread's slice.
            Thread.Yield();
        }
    }

    private void ReadBack(Staged copy)
    {
        var rented = ArrayPool<byte>.Shared.Rent(copy.Length + 1);
        try
        {
            var read = fileSystem.ReadPastCache(copy.Path, rented.AsSpan(0, copy.Length + 1), 0);
            if (read != copy.Length || Crc32C.Of(rented.AsSpan(0, copy.Length)) != copy.Checksum)
            {
                throw new FileSystemException(FileError.Other, "verify", copy.Path,
                    "it does not hold the bytes that were written to it; check the disk or the share");
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    // One rename for all of them. Where a journal keeps the order of names it would save nothing, and Windows refuses it while a scanner
    // has a file in the folder open.
    private bool TryMoveFolder(long shard, List<Staged> staged)
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

    private void MoveInOrder(long shard, List<Staged> staged)
    {
        fileSystem.CreateFolderDurably(layout.ShardFolder(shard));
        var moved = new List<long>();
        foreach (var copy in staged)
        {
            // Order matters: an event proves that all up to its "after" was committed, so those are durable before it
            // appears, or a power cut could leave a proof of missing events. A journal keeps that order by itself.
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

    /// <summary>A copy that does not have its name yet.</summary>
    /// <param name="After">The position up to which everything was durable when the event was appended.</param>
    /// <param name="File">Open until the copy is durable.</param>
    private readonly record struct Staged(long Position, long After, string Path, IFile? File, int Length, uint Checksum);
}
