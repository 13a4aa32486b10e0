using System.Buffers;
using System.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Failures;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>Creates a group's event files exclusively under their final names and makes them durable, or removes all of them.</summary>
internal sealed class EventFileCreator(StoreFolder folder, EventFiles eventFiles)
{
    private const int BufferLengthKept = 4 * 1024 * 1024;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Volume volume = folder.Volume;
    private ArrayBufferWriter<byte> buffer = new(4096);
    private readonly List<(int Start, int Length)> texts = [];
    private readonly HashSet<long> knownShards = [];
    private readonly Action<IFile> flushAlone = file => folder.MakeDurable(file, static file => file.Flush());

    /// <summary>Encodes the events' files for <see cref="TryCreate"/> and their lines, and stores the checksum in each event.</summary>
    public void Encode(IReadOnlyList<StoredEvent> events, EventLines lines)
    {
        buffer.ResetWrittenCount();
        texts.Clear();
        lines.Clear();
        for (var at = 0; at < events.Count; at++)
        {
            var start = buffer.WrittenCount;
            Debug.Assert(events[at].Position == events[0].Position + at, "The positions of a group are not contiguous.");
            lines.Add(events[at], buffer);
            texts.Add((start, buffer.WrittenCount - start));
        }
    }

    /// <summary>
    /// Creates the files of the encoded events and, if requested, makes them durable. False when a name was taken: then no file is left.
    /// </summary>
    /// <exception cref="FileSystemException">A file could not be written; no file is left.</exception>
    /// <exception cref="DiskStateUnknownException">The files could not be made durable, or could not be removed after a failure.</exception>
    /// <exception cref="LockLostException">The lock was lost, on a network file system: the created files stay.</exception>
    public bool TryCreate(IReadOnlyList<StoredEvent> events, bool flush, StoreLock.Held held)
    {
        held.AssertIsHeld();
        var created = new bool[events.Count];
        try
        {
            CreateShards(events, flush);
            if (Create(events, created, flush))
                return true;
        }
        catch (FileSystemException)
        {
            Undo(events, created, held);
            throw;
        }
        catch (DiskStateUnknownException e) when (volume.LockMayBeLost && e.Cause.Error == FileError.DiskFull)
        {
            // A server may say only at the flush that there is no room.
            Undo(events, created, held);
            throw e.Cause;
        }
        catch (DiskStateUnknownException)
        {
            TryUndo(events, created, held);
            throw;
        }
        finally
        {
            // With UseJournal the next group may be the last that is written here for long.
            if (buffer.Capacity > BufferLengthKept)
                buffer = new ArrayBufferWriter<byte>(4096);
        }
        // Another process that the lock should exclude is writing here. It may have set aside the created files and reused their names:
        // remove nothing.
        if (volume.LockMayBeLost && created[0])
            throw new LockLostException(layout.LockFile);
        Undo(events, created, held);
        return false;
    }

    private bool Create(IReadOnlyList<StoredEvent> events, bool[] created, bool flush)
    {
        if (!flush)
            return CreateEach(events, created, static _ => { });
        if (!CreateAndFlush(events, created, out var areNamesDurable))
            return false;
        if (!areNamesDurable)
            FlushNames(events[0].Position, events[^1].Position);
        return true;
    }

    private void FlushNames(long first, long last) =>
        folder.MakeDurable((eventFiles, first, last), static names => names.eventFiles.FlushNames(names.first, names.last));

    private bool CreateAndFlush(IReadOnlyList<StoredEvent> events, bool[] created, out bool areNamesDurable)
    {
        areNamesDurable = volume.FileFlushCoversName;
        if (events.Count == 1)
            return CreateEach(events, created, flushAlone);
        switch (GroupFlush.Choose(fileSystem, volume, events.Count, buffer.WrittenCount))
        {
            case FlushWay.Ranges:
                // Takes fewer device flushes than a flush of the whole file system, and does not wait for other programs' bytes; see
                // docs/decisions/0007.
                areNamesDurable = true;
                // Order matters: the last file is created once the bytes of all others are on the device. Its flush
                // covers no younger note of the journal that they are, so a power cut could take one of them.
                return CreateInBatches(events, created, events.Count - 1, GroupFlush.FlushRanges)
                    && CreateEach(events, created, flushAlone, first: events.Count - 1);
            case FlushWay.Whole:
                areNamesDurable = true;
                if (!CreateEach(events, created, static _ => { }))
                    return false;
                folder.MakeDurable(() => fileSystem.FlushWhole(layout.Root));
                return true;
            default:
                // Starts writing all of them to the device before waiting for the first.
                return volume.TakesRoundTrips
                    ? CreateInParallel(events, created)
                    : CreateInBatches(events, created, events.Count, files => GroupFlush.FlushEach(files, fileSystem.ForEach));
        }
    }

    // Order matters: in position order, a process that loses the race for a position has taken none after it.
    private bool CreateEach(IReadOnlyList<StoredEvent> events, bool[] created, Action<IFile> whenWritten, int first = 0)
    {
        for (var at = first; at < events.Count; at++)
        {
            using var file = CreateOne(events, created, at);
            if (file is null)
                return false;
            whenWritten(file);
        }
        return true;
    }

    private bool CreateInBatches(IReadOnlyList<StoredEvent> events, bool[] created, int count, Action<List<IFile>> flush)
    {
        var open = new List<IFile>(Math.Min(count, GroupFlush.OpenFilesMax));
        try
        {
            for (var at = 0; at < count; at++)
            {
                var file = CreateOne(events, created, at);
                if (file is null)
                    return false;
                open.Add(file);
                if (open.Count < GroupFlush.OpenFilesMax && at < count - 1)
                    continue;
                folder.MakeDurable(() => flush(open));
                open.ForEach(static each => each.Dispose());
                open.Clear();
            }
            return true;
        }
        finally
        {
            open.ForEach(static each => each.Dispose());
        }
    }

    // Each file costs a round trip, which takes longer than its bytes, so files are also created in parallel.
    // Order matters: the first file first. A process that loses the race for it takes no other position.
    private bool CreateInParallel(IReadOnlyList<StoredEvent> events, bool[] created)
    {
        using var first = CreateOne(events, created, 0);
        if (first is null)
            return false;
        var taken = false;
        fileSystem.ForEach(events.Count, at =>
        {
            if (at == 0)
            {
                flushAlone(first);
                return;
            }
            using var file = CreateOne(events, created, at);
            if (file is null)
                Volatile.Write(ref taken, true);
            else
                flushAlone(file);
        });
        return !taken;
    }

    private IFile? CreateOne(IReadOnlyList<StoredEvent> events, bool[] created, int at)
    {
        var file = fileSystem.CreateNew(layout.EventFile(events[at].Position));
        if (file is null)
            return null;
        created[at] = true;
        var (start, length) = texts[at];
        file.WriteOrClose(buffer.WrittenSpan.Slice(start, length));
        return file;
    }

    private void CreateShards(IReadOnlyList<StoredEvent> events, bool flush)
    {
        var lastShard = layout.ShardOf(events[^1].Position);
        for (var shard = layout.ShardOf(events[0].Position); shard <= lastShard; shard += layout.ShardPositions)
        {
            if (knownShards.Contains(shard))
                continue;
            // A process that knows nothing of the last folders must not take a position in one of them again: its name is free.
            if (eventFiles.IsSealed(shard))
                throw new LockLostException(layout.LockFile);
            fileSystem.CreateFolder(layout.ShardFolder(shard));
            // Also when the folder existed: the process that created it may have ended before flushing it.
            if (flush)
                folder.MakeDurable(() => fileSystem.FlushFolder(layout.Events));
            knownShards.Add(shard);
        }
    }

    private void Undo(IReadOnlyList<StoredEvent> events, bool[] created, StoreLock.Held held)
    {
        // Last first: if a crash interrupts this, a commit without its end is left.
        var positions = events.Select(static stored => stored.Position).Where((_, at) => created[at]).Reverse().ToList();
        if (positions.Count == 0)
            return;
        // Order matters: another holder of the lock may have indexed the events, which a removal would lose.
        held.ThrowIfLost();
        try
        {
            if (volume.LockMayBeLost)
                TakeBack(positions, held);
            else
                positions.ForEach(position => Delete(position, held));
            // Some may have been flushed: without this, a power cut could bring back events that the caller sees reported as not stored.
            eventFiles.FlushNames(events[0].Position, events[^1].Position);
        }
        catch (FileSystemException e)
        {
            throw new DiskStateUnknownException(e);
        }
    }

    // Where the store's folder was exchanged meanwhile, the name may be that of another store's event.
    private void Delete(long position, StoreLock.Held held)
    {
        held.ThrowIfMoved();
        fileSystem.Delete(layout.EventFile(position));
    }

    // The lock may be lost between the check and the removal, and another process may have adopted the events or stored others under their names.
    private void TakeBack(List<long> positions, StoreLock.Held held)
    {
        var moved = new List<(long Position, string Path)>();
        try
        {
            foreach (var position in positions)
            {
                // Recorded before the move: one that reports failure may have happened.
                moved.Add((position, layout.NewTakenBackFile(position)));
                fileSystem.Move(layout.EventFile(position), moved[^1].Path);
            }
            held.ThrowIfLost();
        }
        catch (Exception e) when (e is FileSystemException or LockLostException)
        {
            eventFiles.Mending.PutBack(moved);
            throw;
        }
        moved.ForEach(each => fileSystem.Delete(each.Path));
    }

    private void TryUndo(IReadOnlyList<StoredEvent> events, bool[] created, StoreLock.Held held)
    {
        try
        {
            Undo(events, created, held);
        }
        catch (Exception e) when (e is DiskStateUnknownException or LockLostException)
        {
            // The caller already has the first failure, and the outcome is unknown either way.
        }
    }
}
