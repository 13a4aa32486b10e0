using System.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Index;

/// <summary>
/// The index: two append-only files derived from the event files, and their replay in memory. Follows what other processes append, and
/// appends what this one commits.
/// </summary>
/// <param name="folder">Whose index it is.</param>
/// <param name="clock">The clock.</param>
/// <param name="isFollower">It is only read, and its files are opened so.</param>
internal sealed class EventIndex(StoreFolder folder, TimeProvider clock, bool isFollower = false) : IReadableIndex
{
    // Disks hand out their room in blocks of this size, or multiples of it.
    private const int Block = 4096;

    private const int WriteTriesMax = 20;

    private static readonly TimeSpan writeRetryPause = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan replacedCheckInterval = TimeSpan.FromSeconds(1);

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Volume volume = folder.Volume;
    private readonly Lock gate = new();
    private readonly IndexEncoder encoder = new();
    private readonly IndexFrame frame = new();
    private readonly HashSet<long> damagedCopies = [];
    private byte[] buffer = new byte[128 * 1024];
    private readonly List<IFile> packedFiles = [];
    private IndexView? view;
    private IndexView? published;
    private IFile? file;
    private long fileEnd;
    private long replacedCheckedAt;

    /// <summary>
    /// What readers see. While the files are built anew, by whichever process, it is what they held before: no reader's head ever falls.
    /// </summary>
    public IndexView Published => Volatile.Read(ref published) ?? throw new ObjectDisposedException(nameof(IEventStore));

    public IndexView TakeView()
    {
        CatchUp();
        return Published;
    }

    /// <summary>What the files hold, for those who hold the lock.</summary>
    public IndexContents Contents => View.Contents;

    public long Head => Contents.Head;

    /// <summary>Where in the index file the frame of the head ends.</summary>
    public long End => fileEnd;

    /// <summary>The index of a store, to be read once; null when it is not there, of another format, or another store's.</summary>
    public static EventIndex? TryFollow(StoreFolder folder)
    {
        var index = new EventIndex(folder, TimeProvider.System, isFollower: true);
        if (index.TryLoad())
            return index;
        index.Dispose();
        return null;
    }

    /// <summary>Opens the files and replays them; false when they are not there, of another format, or another store's.</summary>
    /// <param name="underLock">What is missing now is missing: on a share the server is asked, and empty files may be left to be replaced.</param>
    public bool TryLoad(bool underLock = false)
    {
        if (underLock && volume.IsNetwork)
            MakeSureOfNames();
        IFile? index = null, packed = null;
        try
        {
            index = fileSystem.Open(layout.IndexFile, ReadHandle);
            packed = fileSystem.Open(layout.PackedFile, ReadHandle);
            if (index is null || packed is null || !HasHeader(index, IndexHeader.OfIndex) || !HasHeader(packed, IndexHeader.OfPacked))
                return false;
            Use(index, packed);
            index = packed = null;
            return true;
        }
        finally
        {
            index?.Dispose();
            packed?.Dispose();
        }
    }

    /// <summary>Puts empty files in the place of what is there. The index then has to be derived from the event files.</summary>
    public void Reset(StoreLock.Held held)
    {
        held.AssertIsHeld();
        fileSystem.CreateFolder(layout.Index);
        // Order matters: without the index file nobody believes the packed copies.
        Remove(layout.IndexFile);
        Remove(layout.PackedFile);
        WriteHeader(layout.PackedFile, IndexHeader.OfPacked);
        WriteHeader(layout.IndexFile, IndexHeader.OfIndex);
        if (!TryLoad())
            throw new FileSystemException(FileError.Other, "read back", layout.IndexFile, "the file that was just created does not hold what was written");
    }

    /// <summary>Makes the files durable, and that they took the place of others. Of what is appended to them a power cut may take the end: it is derived again.</summary>
    public void Flush()
    {
        lock (gate)
        {
            WithWriteHandle(View.Packed!, layout.PackedFile, static packed => packed.Flush());
            WithWriteHandle(file!, layout.IndexFile, static index => index.Flush());
        }
        fileSystem.FlushFolder(layout.Index);
    }

    /// <summary>Takes in what has been appended to the index file since.</summary>
    /// <param name="pastCache">Reads from the disk or server itself; this machine's view of a share may be stale.</param>
    /// <param name="underLock">Somebody is about to write. Another process may have built the files anew a moment ago, and what goes into the old ones nobody reads.</param>
    /// <param name="isDeriving">The caller has emptied the index and derives it again: that readers see more than it holds is no sign that somebody else has.</param>
    public IndexState CatchUp(bool pastCache = false, bool underLock = false, bool isDeriving = false)
    {
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(file is null, typeof(IEventStore));
            try
            {
                return CatchUpByHandles(pastCache, underLock, isDeriving);
            }
            catch (FileSystemException e) when (e.Error == FileError.HandleLost)
            {
                // Where a mount went away the path may lead into an empty folder, in which nothing is to be made.
                if (StoreFile.Read(fileSystem, layout)?.Id != folder.Id)
                    throw;
                return TryLoad(underLock) ? CatchUpByHandles(pastCache, underLock, isDeriving) : IndexState.Gone;
            }
        }
    }

    /// <summary>Cuts off what follows the last frame. The events it may have stood for are derived again.</summary>
    public void CutTail(StoreLock.Held held)
    {
        held.AssertIsHeld();
        lock (gate)
            WithWriteHandle(file!, layout.IndexFile, writable => writable.SetLength(fileEnd));
    }

    /// <summary>Makes the packed copies and the frames of commits that follow on the index, and makes sure of room for them. Nobody sees them yet.</summary>
    public void Prepare(IReadOnlyList<StoredEvent> events, StoreLock.Held held)
    {
        held.AssertIsHeld();
        Debug.Assert(events[0].Position == Head + 1, "What is prepared does not follow on the index.");
        lock (gate)
            PrepareFrames(events);
    }

    /// <summary>Writes the frames of what was prepared: this makes the events visible, here and to other processes.</summary>
    public void Publish(StoreLock.Held held)
    {
        held.AssertIsHeld();
        lock (gate)
        {
            // Order matters: only what is stored ever stands in the packed file. The copy of an event that was not could have the place and
            // the length of another's that came to be stored there, and a power cut bring it back under that one's frame.
            WritePacked();
            var packedEnd = Contents.PackedEnd(Head) + encoder.Packed.Length;
            WithWriteHandle(file!, layout.IndexFile, writable =>
            {
                writable.Write(encoder.Frames.Written, fileEnd);
                if (volume.IsNetwork)
                    writable.Flush();
            });
            if (Replay(encoder.Frames.Bytes, encoder.Frames.Length) != encoder.Frames.Length)
                throw new InvalidOperationException($"The frames behind position {Head} do not follow on the index in memory.");
            Debug.Assert(Contents.PackedEnd(Head) == packedEnd, "The frames say another end of the packed copies than was written.");
            encoder.Trim();
        }
    }

    /// <summary>What the files hold has been brought together with the event files: readers see it, whatever they saw before.</summary>
    public void Settle()
    {
        lock (gate)
            Volatile.Write(ref published, View);
    }

    /// <summary>Writes an event's packed copy again, in its place; false when the index says something else of the event.</summary>
    public bool TryMend(StoredEvent stored, StoreLock.Held held)
    {
        held.AssertIsHeld();
        var current = View;
        if (current.Contents.FindType(stored.Content.Type) < 0 || stored.Content.Tags.Any(tag => current.Contents.FindTag(tag) < 0))
            return false;
        var record = encoder.EncodePacked(stored, current.Contents).ToArray();
        var start = current.Contents.PackedStart(stored.Position);
        if (current.Contents.PackedEnd(stored.Position) - start != record.Length)
            return false;
        // On a share it may have been this machine's view that was not whole.
        if (volume.IsNetwork && ReadPacked(stored.Position, pastCache: true).AsSpan().SequenceEqual(record))
            return true;
        WithWriteHandle(current.Packed!, layout.PackedFile, packed =>
        {
            packed.Write(record, start);
            if (volume.IsNetwork)
                packed.FlushRange();
        });
        return true;
    }

    /// <summary>The packed copy of a position, as it is on disk.</summary>
    /// <param name="position">Whose copy.</param>
    /// <param name="pastCache">Reads from the disk or server itself.</param>
    public byte[] ReadPacked(long position, bool pastCache = false)
    {
        var current = View;
        var start = current.Contents.PackedStart(position);
        var length = current.Contents.PackedEnd(position) - start;
        // What the index says of the length may be a forgery.
        if (length > Block)
            length = Math.Clamp(current.Packed!.GetLength() - start, 0, length);
        var record = new byte[length];
        var read = pastCache ? fileSystem.ReadPastCache(layout.PackedFile, record, start) ?? 0 : current.Packed!.Read(record, start);
        return read == record.Length ? record : record[..read];
    }

    /// <summary>Notes that the packed copy of a position is not what the index says, so that one of the next commits writes it again.</summary>
    public void NoteDamagedCopy(long position)
    {
        lock (damagedCopies)
            damagedCopies.Add(position);
    }

    /// <summary>Some of the positions that were noted and not taken yet.</summary>
    public long[] TakeDamagedCopies(int countMax)
    {
        lock (damagedCopies)
        {
            if (damagedCopies.Count == 0)
                return [];
            long[] taken = [.. damagedCopies.Take(countMax)];
            damagedCopies.ExceptWith(taken);
            return taken;
        }
    }

    public void Dispose()
    {
        lock (gate)
        {
            file?.Dispose();
            packedFiles.ForEach(static packed => packed.Dispose());
            packedFiles.Clear();
            file = null;
            view = null;
            Volatile.Write(ref published, null);
        }
    }

    private IndexState CatchUpByHandles(bool pastCache, bool underLock, bool isDeriving)
    {
        // One look tells a writer on a local disk all: the file is still the one, and nobody has appended.
        if (underLock && !volume.IsNetwork && !IsCheckDue && file!.GetState() == new FileState(IsUnlinked: false, fileEnd))
            return View.Contents.Head < Published.Contents.Head ? IndexState.Gone : IndexState.Current;
        if (IsReplaced(underLock) && !TryLoad(underLock))
        {
            // What others wrote before the files were removed can still be read through the handles that are open.
            Follow(pastCache);
            return IndexState.Gone;
        }
        var endsWithFrame = Follow(pastCache);
        if (!isDeriving && View.Contents.Head < Published.Contents.Head)
            return IndexState.Gone;
        return endsWithFrame ? IndexState.Current : IndexState.UnclearTail;
    }

    private IndexView View => view ?? throw new ObjectDisposedException(nameof(IEventStore));

    private FileOpening ReadHandle => isFollower || volume.ForbidsKeptWriteHandles ? FileOpening.Read : FileOpening.ReadWrite;

    private void Use(IFile index, IFile packed)
    {
        lock (gate)
        {
            file?.Dispose();
            file = index;
            // Those used before are left to the readers that still have them.
            packedFiles.Add(packed);
            fileEnd = IndexHeader.Length;
            view = new IndexView(new IndexContents(), packed);
            Follow(pastCache: false);
            published ??= view;
        }
    }

    // Whether the file ends where the last frame does; if not, what follows is no frame, or not yet.
    private bool Follow(bool pastCache)
    {
        while (true)
        {
            var length = pastCache ? fileSystem.ReadPastCache(layout.IndexFile, buffer, fileEnd) ?? 0 : file!.Read(buffer, fileEnd);
            if (length == 0)
                return true;
            var taken = Replay(buffer, length);
            if (taken == length && length < buffer.Length)
                return true;
            if (taken == 0 && !TryMakeRoom(length))
                return false;
        }
    }

    // The number of bytes that were whole, valid frames.
    private int Replay(byte[] bytes, int length)
    {
        var contents = Contents;
        var place = contents.Add(bytes, length, frame);
        fileEnd += place;
        if (published is null || contents.Head >= published.Contents.Head)
            Volatile.Write(ref published, view);
        return place;
    }

    private void PrepareFrames(IReadOnlyList<StoredEvent> events)
    {
        encoder.Encode(events, Contents);
        // On a network file system the lock may have failed and this view be stale: until the event files' names are taken, nothing of
        // what may be another machine's is overwritten. Elsewhere a full disk shows itself here, before an event is stored.
        if (volume.IsNetwork)
            return;
        ReservePacked(encoder.Packed.Length);
        Reserve(encoder.Frames.Length);
    }

    private void WritePacked()
    {
        try
        {
            WithWriteHandle(View.Packed!, layout.PackedFile, packed =>
            {
                packed.Write(encoder.Packed.Written, Contents.PackedEnd(Contents.Head));
                // With the server, so that nothing of it arrives when another machine has the lock. Not durable: it can be derived.
                if (volume.IsNetwork)
                    packed.FlushRange();
            });
        }
        catch (FileSystemException e) when (e.Error == FileError.NotFound)
        {
            // Somebody has deleted it. The event files have all, and the next append builds it anew.
            replacedCheckedAt = 0;
        }
    }

    private bool TryMakeRoom(int length)
    {
        if (length < buffer.Length)
            return false;
        var needed = (long)BitConverter.ToUInt32(buffer, 0) + IndexFrame.HeaderLength;
        if (needed <= buffer.Length || needed > StoreLayout.FrameBytesMax)
            return false;
        buffer = new byte[needed];
        return true;
    }

    // Copies that grow the file into a new block could meet a full disk when the events are already there: zeros, to the block's end, go first.
    private void ReservePacked(int length)
    {
        var start = Contents.PackedEnd(Contents.Head);
        var room = (Block - start % Block) % Block;
        if (length > room)
            WithWriteHandle(View.Packed!, layout.PackedFile, packed => packed.Write(new byte[(length + Block - 1 - room) / Block * Block + room], start));
    }

    // Frames that grow the file into a new block could meet a full disk when the events are already there: zeros, which are no frame, go first.
    private void Reserve(int length)
    {
        if (fileEnd / Block == (fileEnd + length) / Block && fileEnd % Block != 0)
            return;
        WithWriteHandle(file!, layout.IndexFile, writable => writable.Write(new byte[length], fileEnd));
    }

    private bool IsCheckDue => replacedCheckedAt == 0 || clock.GetElapsedTime(replacedCheckedAt) >= replacedCheckInterval;

    // By readers asked now and then only: an index that somebody deletes is derived anew, and until then exclusive creation keeps positions right.
    private bool IsReplaced(bool underLock)
    {
        if (!underLock && !IsCheckDue)
            return false;
        // Who builds the files anew replaces both, so a writer on a share, where each look is a round trip, looks at one. That somebody
        // deleted the packed copies alone is noticed by a read.
        var one = underLock && volume.IsNetwork && replacedCheckedAt != 0;
        var replaced = file!.IsUnlinked() || !one && View.Packed!.IsUnlinked();
        if (replaced || !one)
            replacedCheckedAt = replaced ? 0 : clock.GetTimestamp();
        return replaced;
    }

    // A share's client may for a while believe that a name is missing which another machine has just made; a creation is asked of the server.
    private void MakeSureOfNames()
    {
        fileSystem.CreateFolder(layout.Index);
        fileSystem.Open(layout.IndexFile, FileOpening.ReadWriteOrCreate)?.Dispose();
        fileSystem.Open(layout.PackedFile, FileOpening.ReadWriteOrCreate)?.Dispose();
    }

    private bool HasHeader(IFile candidate, ReadOnlySpan<byte> magic)
    {
        Span<byte> header = stackalloc byte[IndexHeader.Length];
        return folder.Id is { } id && candidate.Read(header, 0) == header.Length && header.SequenceEqual(IndexHeader.Make(magic, id));
    }

    // The files are new ones; see docs/decisions/0005. But while anyone on a machine reads a file that another machine has deleted, its name leads
    // there to that file (GlusterFS), and a new one would not be found; see docs/decisions/0016.
    private void Remove(string path)
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

    private void WriteHeader(string path, ReadOnlySpan<byte> magic)
    {
        using var created = (volume.CachesIgnoreLocks ? fileSystem.Open(path, FileOpening.ReadWrite) : fileSystem.CreateNew(path))
            ?? throw new FileSystemException(FileError.Other, "create", path, "it was just deleted and is there again");
        created.Write(IndexHeader.Make(magic, folder.Id!.Value), 0);
        if (volume.IsNetwork)
            created.Flush();
    }

    private void WithWriteHandle(IFile kept, string path, Action<IFile> write)
    {
        if (!volume.ForbidsKeptWriteHandles)
        {
            write(kept);
            return;
        }
        for (var tries = 1; ; tries++)
        {
            using var writable = fileSystem.Open(path, volume.CachesIgnoreLocks ? FileOpening.WriteThrough : FileOpening.ReadWrite)
                ?? throw new FileSystemException(FileError.NotFound, "open", path, "it was removed while the store is open");
            try
            {
                write(writable);
                return;
            }
            catch (FileSystemException e) when (e.Error == FileError.HandleLost && tries < WriteTriesMax)
            {
                // A client may for about a second take a name for that of a file which another machine has replaced.
                fileSystem.Pause(tries * writeRetryPause);
            }
        }
    }
}
