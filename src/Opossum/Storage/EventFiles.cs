using System.Buffers;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage;

/// <summary>The folder of event files: creates them exclusively and makes them durable, reads them, and finds what lies there.</summary>
internal sealed class EventFiles(IFileSystem fileSystem, StoreLayout layout, Volume volume)
{
    private const int BufferLengthKept = 4 * 1024 * 1024;

    private readonly FileBytes fileBytes = new();
    private ArrayBufferWriter<byte> buffer = new(4096);
    private readonly List<(int Start, int Length)> texts = [];
    private readonly HashSet<long> knownShards = [];

    /// <summary>Encodes the events' files, each noting its checksum, for <see cref="TryCreate"/>.</summary>
    public void Encode(IReadOnlyList<StoredEvent> events)
    {
        if (buffer.Capacity > BufferLengthKept)
            buffer = new ArrayBufferWriter<byte>(4096);
        buffer.ResetWrittenCount();
        texts.Clear();
        foreach (var stored in events)
        {
            var start = buffer.WrittenCount;
            EventFile.Write(buffer, stored);
            texts.Add((start, buffer.WrittenCount - start));
        }
    }

    /// <summary>Creates the files of the events that were encoded, and makes them durable if so told; false when a name was taken: then none is left.</summary>
    /// <exception cref="FileSystemException">A file could not be written; none is left.</exception>
    /// <exception cref="FlushFailedException">The files could not be made durable, or could not be removed after a failure.</exception>
    /// <exception cref="LockLostException">The lock was lost, on a network file system: what was created is left.</exception>
    public bool TryCreate(IReadOnlyList<StoredEvent> events, bool flush, StoreLock.Held held)
    {
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
        catch (FlushFailedException)
        {
            TryUndo(events, created, held);
            throw;
        }
        // Somebody who should be locked out is at work here. He may have set aside what was created and used the names again: remove nothing.
        if (volume.IsNetwork && created[0])
            throw new LockLostException();
        Undo(events, created, held);
        return false;
    }

    /// <summary>Makes the files of all positions in the range durable.</summary>
    /// <exception cref="FlushFailedException">They could not be made durable.</exception>
    public void Flush(long first, long last) => FlushFailedException.Guard(() => FlushPositions(first, last));

    /// <summary>
    /// Writes the bytes of the files in the range again. A flush that failed may have marked them clean although they are not on the disk
    /// (Linux does), and then the next would pass them over.
    /// </summary>
    /// <exception cref="FlushFailedException">A file does not hold its event any more.</exception>
    public void WriteAgain(long first, long last)
    {
        for (var position = first; position <= last; position++)
        {
            // Through one handle: whatever happens to the name meanwhile, a file only ever gets its own bytes.
            var path = layout.EventFile(position);
            using var file = fileSystem.Open(path, FileOpening.ReadWrite);
            if (file is null || fileBytes.Read(file) is not { } bytes || EventFile.Read(bytes, position, out _) is null)
                throw new FlushFailedException(new FileSystemException(FileError.Other, "write again what is not flushed yet in", path, "it is not the event any more that was written."));
            file.Write(bytes, 0);
        }
    }

    /// <summary>Creates the file of a position again from a copy, unless that is not valid or the name is taken.</summary>
    public void PutBack(string copy, long position)
    {
        if (ReadBytes(copy) is not { } bytes || EventFile.Read(bytes, position, out _) is null)
            return;
        using var file = fileSystem.CreateNew(layout.EventFile(position));
        file?.Write(bytes, 0);
        file?.Flush();
    }

    /// <summary>Writes the file of a position again as its packed copy has it, when it is not so. False: it is, or the copy is not whole.</summary>
    public bool TryRestore(StoredEvent copy)
    {
        if (Read(copy.Position, out _) is { } there && there.Checksum == copy.Checksum)
            return false;
        if (EventFile.TextOfCopy(copy) is not { } text)
            return false;
        using var file = fileSystem.Open(layout.EventFile(copy.Position), FileOpening.ReadWriteOrCreate)!;
        file.Write(text, 0);
        file.SetLength(text.Length);
        file.Flush();
        return true;
    }

    /// <summary>Reads and judges the file of a position.</summary>
    /// <param name="position">Whose file.</param>
    /// <param name="problem">What is wrong with it, as the end of a sentence that begins with the file; null when it is valid.</param>
    public StoredEvent? Read(long position, out string? problem) => Read(layout.EventFile(position), position, out problem);

    /// <summary>The same for a copy of the file that lies elsewhere.</summary>
    public StoredEvent? Read(string path, long position, out string? problem)
    {
        try
        {
            using var file = fileSystem.Open(path, FileOpening.Read);
            if (file is null)
                problem = "is missing";
            else if (fileBytes.Read(file) is { } bytes)
                return EventFile.Read(bytes, position, out problem);
            else
                problem = "is longer than any event file";
        }
        catch (FileSystemException e) when (e.OtherKind is not null || e.Error == FileError.NotAFolder)
        {
            problem = e.OtherKind ?? "is not a file";
        }
        return null;
    }

    /// <summary>Reads and judges the files of many positions.</summary>
    public EventFileBatches Batches { get; } = new(fileSystem);

    /// <summary>Reads and judges the file of a position.</summary>
    public (StoredEvent? Stored, string? Problem) Read(long position) => (Read(position, out var problem), problem);

    /// <summary>The same for those who go on where the system cannot read a file: this, too, is wrong with it.</summary>
    public (StoredEvent? Stored, string? Problem) ReadOrProblem(long position)
    {
        try
        {
            return Read(position);
        }
        catch (FileSystemException e)
        {
            return (null, $"cannot be read: {e.Message}");
        }
    }

    /// <summary>Whether the file of a position is there, asked past every cache.</summary>
    public bool IsOnServer(long position) => fileSystem.ReadPastCache(layout.EventFile(position), new byte[1], 0) is not null;

    /// <summary>The checksum that the file of a position states; null when it is missing or states none.</summary>
    public uint? StatedChecksum(long position) => ReadBytes(layout.EventFile(position)) is { } bytes ? ChecksumTrailer.Stated(bytes) : null;

    /// <summary>The positions behind the given one that have a file, ascending. What is no event file by its name is passed over.</summary>
    public List<long> ListBehind(long position)
    {
        var found = new List<long>();
        var firstShard = StoreLayout.ShardOf(position + 1);
        foreach (var folder in fileSystem.List(layout.Events))
        {
            if (!StoreLayout.TryParseShard(folder, out var shard) || shard < firstShard || fileSystem.GetKind(layout.ShardFolder(shard)) != EntryKind.Folder)
                continue;
            StoreFolders.ThrowIfLink(fileSystem, layout.ShardFolder(shard));
            foreach (var name in fileSystem.List(layout.ShardFolder(shard)))
            {
                if (StoreLayout.TryParseEventFileName(name, out var each) && each > position && StoreLayout.ShardOf(each) == shard)
                    found.Add(each);
            }
        }
        found.Sort();
        return found;
    }

    /// <summary>The position up to which all was committed, as the last valid event of these positions says; 0 when none is valid.</summary>
    public long ProvenDurable(List<long> positions)
    {
        for (var at = positions.Count - 1; at >= 0; at--)
        {
            if (Read(positions[at], out _) is { } last)
                return last.Commit.After;
        }
        return 0;
    }

    private void FlushPositions(long first, long last)
    {
        if (volume.CanFlushWhole)
        {
            fileSystem.FlushWhole(layout.Root);
            return;
        }
        fileSystem.ForEach((int)(last - first + 1), at =>
        {
            using var file = fileSystem.Open(layout.EventFile(first + at), FileOpening.ReadWrite);
            file?.Flush();
        });
        for (var shard = StoreLayout.ShardOf(first); shard <= last; shard += StoreLayout.ShardPositions)
            fileSystem.FlushFolder(layout.ShardFolder(shard));
        fileSystem.FlushFolder(layout.Events);
    }

    private bool Create(IReadOnlyList<StoredEvent> events, bool[] created, bool flush)
    {
        if (!flush)
            return CreateEach(events, created, static _ => { });
        if (events.Count == 1)
            return CreateEach(events, created, FlushAlone) && FlushFolders(events);
        if (volume.CanFlushRange)
            return CreateRange(events, created);
        if (GroupFlush.PrefersWhole(fileSystem, volume, buffer.WrittenCount))
            return CreateEach(events, created, static _ => { }) && FlushWhole();
        return CreateInParallel(events, created) && FlushFolders(events);
    }

    // Order matters: in the order of positions. Whoever loses the race for a position has then taken none behind it.
    private bool CreateEach(IReadOnlyList<StoredEvent> events, bool[] created, Action<IFile> whenWritten)
    {
        for (var at = 0; at < events.Count; at++)
        {
            using var file = CreateOne(events, created, at);
            if (file is null)
                return false;
            whenWritten(file);
        }
        return true;
    }

    // Fewer device flushes than a flush of the whole file system takes, and nobody else's bytes are waited for; see docs/decisions/0007.
    private bool CreateRange(IReadOnlyList<StoredEvent> events, bool[] created)
    {
        var open = new List<IFile>(Math.Min(events.Count, GroupFlush.OpenFilesMax));
        try
        {
            for (var at = 0; at < events.Count; at++)
            {
                var file = CreateOne(events, created, at);
                if (file is null)
                    return false;
                open.Add(file);
                if (open.Count < GroupFlush.OpenFilesMax && at < events.Count - 1)
                    continue;
                FlushFailedException.Guard(() => GroupFlush.FlushRanges(open));
                if (at == events.Count - 1)
                    FlushAlone(file);
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

    // Order matters: the first file before any other. Whoever loses the race for the first position creates no other.
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
                FlushAlone(first);
                return;
            }
            using var file = CreateOne(events, created, at);
            if (file is null)
                Volatile.Write(ref taken, true);
            else
                FlushAlone(file);
        });
        return !taken;
    }

    private IFile? CreateOne(IReadOnlyList<StoredEvent> events, bool[] created, int at)
    {
        var file = fileSystem.CreateNew(layout.EventFile(events[at].Position));
        if (file is null)
            return null;
        created[at] = true;
        try
        {
            var (start, length) = texts[at];
            file.Write(buffer.WrittenSpan.Slice(start, length), 0);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private void CreateShards(IReadOnlyList<StoredEvent> events, bool flush)
    {
        var lastShard = StoreLayout.ShardOf(events[^1].Position);
        for (var shard = StoreLayout.ShardOf(events[0].Position); shard <= lastShard; shard += StoreLayout.ShardPositions)
        {
            if (knownShards.Contains(shard))
                continue;
            fileSystem.CreateFolder(layout.ShardFolder(shard));
            // Also when it was there: whoever made it may have died before this.
            if (flush)
                FlushFailedException.Guard(() => fileSystem.FlushFolder(layout.Events));
            knownShards.Add(shard);
        }
    }

    private bool FlushFolders(IReadOnlyList<StoredEvent> events)
    {
        if (!volume.FileFlushCoversName)
            FlushFailedException.Guard(() => FlushShards(events));
        return true;
    }

    private void FlushShards(IReadOnlyList<StoredEvent> events)
    {
        for (var shard = StoreLayout.ShardOf(events[0].Position); shard <= events[^1].Position; shard += StoreLayout.ShardPositions)
            fileSystem.FlushFolder(layout.ShardFolder(shard));
    }

    private bool FlushWhole()
    {
        FlushFailedException.Guard(() => fileSystem.FlushWhole(layout.Root));
        return true;
    }

    private static void FlushAlone(IFile file)
    {
        try
        {
            file.Flush();
        }
        catch (FileSystemException e)
        {
            throw new FlushFailedException(e);
        }
    }

    private void Undo(IReadOnlyList<StoredEvent> events, bool[] created, StoreLock.Held held)
    {
        // Last first: what a crash leaves of it is then a commit without its end.
        var positions = events.Select(static stored => stored.Position).Where((_, at) => created[at]).Reverse().ToList();
        if (positions.Count == 0)
            return;
        // Order matters: asked before anything is removed. Whoever had the lock meanwhile may have taken the events in, or used their names again.
        held.ThrowIfLost();
        try
        {
            if (volume.IsNetwork)
                TakeBack(positions, held);
            else
                positions.ForEach(position => fileSystem.Delete(layout.EventFile(position)));
            // Some may have been flushed: without this a power cut could bring back what the caller is told was not stored.
            FlushShards(events);
        }
        catch (FileSystemException e)
        {
            throw new FlushFailedException(e);
        }
    }

    // The lock may be lost between the look at it and the removal, and somebody have taken the events in, or stored others under their names.
    private void TakeBack(List<long> positions, StoreLock.Held held)
    {
        var moved = new List<(long Position, string Path)>();
        try
        {
            foreach (var position in positions)
            {
                // Order matters: noted before. A move that fails may have happened.
                moved.Add((position, layout.NewTakenBackFile(position)));
                fileSystem.Move(layout.EventFile(position), moved[^1].Path);
            }
            held.ThrowIfLost();
        }
        catch (Exception e) when (e is FileSystemException or LockLostException)
        {
            moved.ForEach(each => PutBack(each.Path, each.Position));
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
        catch (Exception e) when (e is FlushFailedException or LockLostException)
        {
            // The caller already carries the failure that came first, and the outcome is unknown either way.
        }
    }

    /// <summary>The bytes of any file; null when it is missing, or longer than any event file.</summary>
    public byte[]? ReadBytes(string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        return file is null ? null : fileBytes.Read(file);
    }
}
