using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Opossum.FileSystem;
using Opossum.Storage.Definitions;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Index;

/// <summary>
/// The index: an append-only file derived from the event files, whose end is replayed into memory, runs of the older events, and the lines of the
/// log. It follows what other processes append, and appends what this one commits.
/// </summary>
/// <param name="isFollower">Whether the index is only read; its files are then opened for reading.</param>
/// <param name="logger">The log; null: none.</param>
internal sealed class EventIndex(StoreFolder folder, TimeProvider clock, bool isFollower = false, ILogger? logger = null) : IReadableIndex
{
    // On a share, the longest time for which a reader that begins to read may still use files that were replaced.
    private static readonly TimeSpan replacedCheckInterval = TimeSpan.FromSeconds(1);

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Volume volume = folder.Volume;
    private readonly DerivedFiles files = new(folder);
    private readonly Lock gate = new();
    // Taken before the gate, by who reads another index file, so that one thread does.
    private readonly Lock loading = new();
    private readonly IndexFrame frame = new();
    private readonly HashSet<long> damagedLines = [];
    private readonly List<IFile> replaced = [];
    private byte[] buffer = new byte[64 * 1024];
    private byte[] header = [];
    private IndexView? view;
    private IndexView? published;
    private IFile? file;
    private Segments? segments;
    private long fileEnd;
    private long replacedCheckedAt;
    private int runsLookedForAt;

    public EventLines Lines => field ??= new EventLines();

    // Only who writes needs it.
    private IndexEncoder Encoder => field ??= new IndexEncoder();

    /// <summary>
    /// The view that readers see. While any process rebuilds the files, readers keep the view from before: a reader's head never goes back.
    /// </summary>
    public IndexView Published => Volatile.Read(ref published) ?? throw new ObjectDisposedException(nameof(IEventStore));

    public RunFolder Runs => field ??= new RunFolder(folder, folder.Runs, () => file, run => view?.Contents.Runs.Contains(run) == true,
        canWrite: !isFollower, logger ?? NullLogger.Instance);

    /// <summary>Receives, with each commit, the contents whose tail has grown.</summary>
    public Action<IndexContents>? TailGrew { get; set; }

    /// <summary>The checksum in the header of the index file.</summary>
    public uint FirstChain => IndexHeader.FirstChain(header);

    public byte[] Header => header;

    /// <summary>The offset of the first frame.</summary>
    public int FirstFrame => header.Length;

    /// <summary>The rules that give tags in the files, for the holder of the lock.</summary>
    public TagRuleSet Rules => View.Rules;

    /// <summary>Stands for the index file: another one when it was replaced.</summary>
    public object? FileInUse => file;

    public IndexView TakeView(bool pastCache = false)
    {
        CatchUp(pastCache && folder.Volume.ViewMayBeStale);
        return Published;
    }

    /// <summary>The contents of the files, for the holder of the lock.</summary>
    public IndexContents Contents => View.Contents;

    public long Head => Contents.Head;

    /// <summary>The last position that the index file names, whether or not the lines are there; 0 when it was not read.</summary>
    public long NamedHead => view?.Contents.Head ?? 0;

    /// <summary>The offset in the index file at which the head's frame ends.</summary>
    public long End => fileEnd;

    /// <summary>The contents of the files, and the offset at which their last frame ends.</summary>
    public (IndexContents Contents, long End) Snapshot()
    {
        lock (gate)
            return (Contents, fileEnd);
    }

    /// <summary>Uses other runs for the older events; the tail is replayed from their end. False when the files were replaced meanwhile.</summary>
    public bool TryUse(IReadOnlyList<IndexRun> runs)
    {
        IFile used;
        IndexView before;
        long end;
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(file is null, typeof(IEventStore));
            (used, before, end) = (file, View, fileEnd);
        }
        var tail = runs[^1].NewTail();
        var frames = new FrameReader(used, runs[^1].Header.FrameEnd);
        // Most of it while others append and read.
        while (frames.Offset < end && frames.TryAdd(tail, end))
        {
        }
        lock (gate)
        {
            if (file != used || view != before)
                return false;
            while (frames.Offset < fileEnd)
            {
                if (!frames.TryAdd(tail, fileEnd))
                    return false;
            }
            Debug.Assert(frames.Offset > fileEnd || tail.Chain == before.Contents.Chain, "Runs and frames give another index.");
            // This process may not have read yet all that the runs of another cover.
            fileEnd = frames.Offset;
            view = new IndexView(new IndexContents([.. runs], tail, Runs.Hash), segments, before.Rules);
            foreach (var former in before.Contents.Runs.Except(runs))
                former.GiveUpPages();
            PublishIfAhead();
            return true;
        }
    }

    /// <summary>Opens the index of a store for reading once; null when it is missing, has another format, or belongs to another store.</summary>
    public static EventIndex? TryFollow(StoreFolder folder)
    {
        var index = new EventIndex(folder, TimeProvider.System, isFollower: true);
        var isLoaded = false;
        try
        {
            isLoaded = index.TryLoad();
            return isLoaded ? index : null;
        }
        finally
        {
            if (!isLoaded)
                index.Dispose();
        }
    }

    /// <summary>Opens the files and replays them; false when they are missing, have another format, or belong to another store.</summary>
    /// <param name="underLock">Whether the caller holds the lock. Then a share's server confirms that a file is missing, and empty files
    /// may stay, to be replaced.</param>
    public bool TryLoad(bool underLock = false)
    {
        lock (loading)
            return TryLoad(underLock, former: file);
    }

    /// <summary>
    /// The rules that an index has that replaces this one: those of the index file, or, where none can be read, of the rules' files,
    /// which are durable then.
    /// </summary>
    /// <remarks>
    /// An opening takes changed files in, and refuses rules of personal data. Where caches ignore locks, only a rebuild can take them in.
    /// </remarks>
    /// <exception cref="StoreOpenException">A file is not a rule.</exception>
    public TagRuleSet FindRules()
    {
        using var used = volume.CachesIgnoreLocks ? null : fileSystem.Open(layout.IndexFile, FileOpening.Read);
        return (used is null ? null : IndexHeader.FindRules(used, folder.Id!.Value)) ?? TagRuleFiles.ReadDurable(fileSystem, layout);
    }

    /// <summary>Replaces the files by empty ones. The index must then be derived from the event files.</summary>
    public void Reset(StoreLock.Held held, TagRuleSet rules)
    {
        held.AssertIsHeld();
        fileSystem.CreateFolder(layout.Index);
        var wasThere = fileSystem.GetKind(layout.IndexFile) != EntryKind.Missing;
        KeepReplaced();
        // The index file first: without it no process looks for lines.
        files.Remove(layout.IndexFile);
        // Left by a change of tag rules that was interrupted: it may have what a redaction removes.
        fileSystem.Delete(layout.IndexFileStaging);
        foreach (var (_, path) in Segments.List(folder))
            files.Remove(path);
        foreach (var (basis, last) in Runs.List())
            Runs.TryDelete(basis, last);
        // Order matters: an old index that a power cut brings back later would name events that were never durable.
        if (wasThere)
        {
            fileSystem.FlushFolder(layout.Index);
            if (fileSystem.GetKind(layout.Log) == EntryKind.Folder)
                fileSystem.FlushFolder(layout.Log);
        }
        files.WriteHeader(layout.IndexFile, IndexHeader.OfIndex(folder.Id!.Value, rules));
        if (!TryLoad())
        {
            throw new FileSystemException(FileError.Other, "read back", layout.IndexFile,
                "the file that was just created does not hold what was written");
        }
    }

    /// <summary>Gives another index file, which is durable, the name of this one, and uses it.</summary>
    /// <param name="tail">What the file has, up to an offset: all of it, or appends would wait until the rest is read.</param>
    public void Replace(string staged, IndexTail tail, long end, StoreLock.Held held)
    {
        held.AssertIsHeld();
        lock (gate)
        {
            KeepReplaced();
            // Another machine's handle of the file would prevent the move.
            if (IsOnShare)
                files.Remove(layout.IndexFile);
            fileSystem.Move(staged, layout.IndexFile);
            foreach (var (basis, last) in Runs.List())
                Runs.TryDelete(basis, last);
            fileSystem.FlushFolder(layout.Index);
            if (!TryLoad(underLock: false, former: file, tail, end))
                throw new FileSystemException(FileError.Other, "read back", layout.IndexFile, "it does not hold what was written");
            // On a share this makes the name durable, elsewhere the flush of the folder.
            if (IsOnShare)
                files.Write(file!, layout.IndexFile, static index => index.Flush());
            Settle();
        }
    }

    /// <summary>Returns when every reader that begins to read uses the file that replaced another.</summary>
    public void WaitUntilReplacedIsSeen()
    {
        if (IsOnShare)
            fileSystem.Pause(2 * replacedCheckInterval);
    }

    /// <summary>
    /// Makes the files durable under their names. A power cut may still remove the end of what is appended later; it is derived again.
    /// </summary>
    public void Flush()
    {
        lock (gate)
        {
            segments!.Flush(1, Head);
            files.Write(file!, layout.IndexFile, static index => index.Flush());
        }
        fileSystem.FlushFolder(layout.Index);
        if (Head > 0)
            fileSystem.FlushFolder(layout.Log);
    }

    /// <summary>Reads what has been appended to the index file since the last call.</summary>
    /// <param name="pastCache">Whether to read past the cache; this machine's view of a share may be stale.</param>
    /// <param name="underLock">Whether the caller is about to write: then it must find rebuilt files, because no process reads the old ones.</param>
    /// <param name="isDeriving">Whether the caller is rebuilding. If not, an index shorter than what readers see was emptied by another
    /// process.</param>
    /// <param name="canLoad">Whether to read files that replaced those in use: all frames after the runs.</param>
    public IndexState CatchUp(bool pastCache = false, bool underLock = false, bool isDeriving = false, bool canLoad = true)
    {
        var used = file;
        try
        {
            for (var isLoaded = false; ; used = file)
            {
                var state = CatchUpOnce(pastCache, underLock, isDeriving, isLoaded);
                if (state != IndexState.Replaced || !canLoad)
                    return state;
                lock (loading)
                {
                    if (file != used || (isLoaded = TryLoad(underLock, used)))
                        continue;
                }
                // What other processes wrote before the files were removed can still be read through the open handles.
                CatchUpOnce(pastCache, underLock, isDeriving, isLoaded: true);
                return IndexState.Gone;
            }
        }
        catch (FileSystemException e) when (e.Error == FileError.HandleLost)
        {
            // After a mount is lost, the path may lead into an empty folder, in which no file may be created.
            if (StoreFile.Read(fileSystem, layout)?.Id != folder.Id)
                throw;
            if (!canLoad)
                return IndexState.Replaced;
            lock (loading)
            {
                if (file == used && !TryLoad(underLock, used))
                    return IndexState.Gone;
            }
            return CatchUpOnce(pastCache, underLock, isDeriving, isLoaded: true);
        }
    }

    /// <summary>Cuts off what follows the last frame. Events that it may have described are derived again.</summary>
    public void CutTail(StoreLock.Held held)
    {
        held.AssertIsHeld();
        lock (gate)
            files.Write(file!, layout.IndexFile, writable => writable.SetLength(fileEnd));
    }

    /// <summary>
    /// Encodes the lines and frames of commits that follow the index, and reserves disk space for them. Nothing is visible yet.
    /// </summary>
    /// <param name="hasLines">Whether <see cref="Lines"/> has theirs already.</param>
    public void Prepare(IReadOnlyList<StoredEvent> events, StoreLock.Held held, bool hasLines = false, bool areLinesFirst = false)
    {
        held.AssertIsHeld();
        Debug.Assert(events[0].Position == Head + 1, "The prepared events do not follow the index.");
        lock (gate)
            PrepareFrames(events, held.Turns, hasLines, areLinesFirst);
    }

    /// <summary>Writes the prepared lines and makes them durable, before the events have files.</summary>
    /// <inheritdoc cref="Segments.Append"/>
    public void AppendLines(StoreLock.Held held)
    {
        held.AssertIsHeld();
        Segments written;
        IndexContents contents;
        lock (gate)
            (written, contents) = (segments!, Contents);
        // Not under the gate, or readers would wait for the flush. Nobody else writes while the store's lock is held.
        written.Append(contents, Lines);
    }

    /// <summary>Whether lines follow that of the head: a process that wrote them first ended before their frames.</summary>
    public bool HasMoreLines
    {
        get
        {
            lock (gate)
                return segments!.HasMore(Contents);
        }
    }

    /// <inheritdoc cref="Segments.HasAnyMore"/>
    public bool HasLinesAnywhereAfter
    {
        get
        {
            lock (gate)
                return segments!.HasAnyMore(Contents);
        }
    }

    /// <summary>Removes, durably, lines that follow that of the head, so that none is taken for an event later.</summary>
    public void RemoveMoreLines(StoreLock.Held held)
    {
        held.AssertIsHeld();
        lock (gate)
            segments!.RemoveMore(Contents);
    }

    /// <summary>Writes the prepared frames, which makes the events visible to this and other processes.</summary>
    /// <param name="hasLines">Whether <see cref="AppendLines"/> has written their lines.</param>
    public void Publish(StoreLock.Held held, bool hasLines = false)
    {
        held.AssertIsHeld();
        lock (gate)
        {
            // Order matters: a line written before its event is stored could come back after a power cut, with the
            // place and length of the line of a later event, under that one's frame.
            if (!hasLines && !segments!.TryWrite(Contents, Lines))
            {
                // The event files have everything, and the next append rebuilds the index.
                replacedCheckedAt = 0;
            }
            var lineEnd = Contents.LineEnd(Head) + Lines.Length;
            files.Write(file!, layout.IndexFile, this, static (writable, index) => index.WriteFrames(writable));
            if (Replay(Encoder.Frames.Bytes, Encoder.Frames.Length) != Encoder.Frames.Length)
                throw new InvalidOperationException($"The frames after position {Head} do not follow the index in memory.");
            Debug.Assert(Contents.LineEnd(Head) == lineEnd, "The frames state another end of the lines than was written.");
            Encoder.Trim();
            Lines.Trim();
        }
    }

    /// <summary>
    /// Appends the frames that follow in another index file of the same events, up to a position at which an append ends. The segments of these
    /// events have their lines. It ends early at a frame that does not follow: the checksums of all frames before it are in its own.
    /// </summary>
    /// <returns>The checksum of the last frame, to which this index catches up next.</returns>
    public uint CopyFrames(IFile other, long end, StoreLock.Held held)
    {
        held.AssertIsHeld();
        lock (gate)
        {
            var (place, head, chain) = (fileEnd, Contents.Head, Contents.Chain);
            while (head < end)
            {
                var length = other.Read(buffer, place);
                var taken = LengthOfFrames(length, end, ref head, ref chain);
                if (taken == 0 && !TryMakeRoom(length))
                    break;
                if (taken > 0)
                    files.Write(file!, layout.IndexFile, buffer.AsMemory(0, taken), place);
                place += taken;
            }
            // Not only sent, as what an append derives: a run may cover them, and no opening reads them then.
            if (place > fileEnd && volume.IsWrittenThrough)
                files.Write(file!, layout.IndexFile, static index => index.Flush());
            return chain;
        }
    }

    /// <summary>Publishes the contents to readers, now that they match the event files, whatever readers saw before.</summary>
    public void Settle()
    {
        lock (gate)
        {
            Volatile.Write(ref published, View);
            MarkReplaced();
        }
    }

    /// <summary>Writes an event's line again in place; false when the index states something else about the event.</summary>
    public bool TryMend(StoredEvent stored, StoreLock.Held held)
    {
        held.AssertIsHeld();
        return segments!.TryMend(Contents, stored.Position, stored.Line);
    }

    /// <inheritdoc cref="Segments.IsSealed"/>
    public bool IsSealed(long position) => segments!.IsSealed(position);

    /// <inheritdoc cref="Segments.ReadLine"/>
    public byte[] ReadLine(long position, bool pastCache = false) => segments!.ReadLine(Contents, position, pastCache);

    public long LineEnd(long position) => Contents.LineEnd(position);

    /// <summary>Records that the line of a position does not match the index, so that one of the next commits rewrites it.</summary>
    public void NoteDamagedLine(long position)
    {
        if (!Published.Segments!.Has(position))
            Volatile.Write(ref replacedCheckedAt, 0);
        lock (damagedLines)
            damagedLines.Add(position);
    }

    /// <summary>Removes and returns some of the recorded positions.</summary>
    public long[] TakeDamagedLines(int countMax)
    {
        lock (damagedLines)
        {
            if (damagedLines.Count == 0)
                return [];
            long[] taken = [.. damagedLines.Take(countMax)];
            damagedLines.ExceptWith(taken);
            return taken;
        }
    }

    public void Dispose()
    {
        lock (gate)
        {
            file?.Dispose();
            replaced.ForEach(static file => file.Dispose());
            replaced.Clear();
            // Before the runs are closed: a reader that meets a closed one looks whether the store is.
            file = null;
            segments?.Dispose();
            Runs.Dispose();
            view = null;
            Volatile.Write(ref published, null);
        }
    }

    private IndexState CatchUpOnce(bool pastCache, bool underLock, bool isDeriving, bool isLoaded)
    {
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(file is null, typeof(IEventStore));
            var state = CatchUpByHandles(pastCache, underLock, isDeriving, isLoaded);
            if (isFollower)
                UseRunsOfOthers();
            return state;
        }
    }

    private IndexState CatchUpByHandles(bool pastCache, bool underLock, bool isDeriving, bool isLoaded)
    {
        // On a local disk one query tells a writer that the file is still the same and nothing was appended.
        if (underLock && !volume.ViewMayBeStale && !IsCheckDue && !IsSegmentUnlinked
            && file!.GetState() == new FileState(IsUnlinked: false, fileEnd))
        {
            return View.Contents.Head < Published.Contents.Head ? IndexState.Gone : IndexState.Current;
        }
        if (!isLoaded && IsReplaced(underLock))
            return IndexState.Replaced;
        var endsWithFrame = Follow(pastCache);
        // The process that gave another file the index's name marks the former one.
        if (!isLoaded && !endsWithFrame && !underLock && file!.IsUnlinked())
            return IndexState.Replaced;
        if (!isDeriving && View.Contents.Head < Published.Contents.Head)
            return IndexState.Gone;
        return endsWithFrame ? IndexState.Current : IndexState.UnclearTail;
    }

    // A process that only reads makes no runs.
    private void UseRunsOfOthers()
    {
        var contents = Contents;
        if (contents.Tail.Count < 3 * folder.Runs.Length || contents.Head - runsLookedForAt < folder.Runs.Length)
            return;
        runsLookedForAt = contents.Head;
        var runs = Runs.Load(file!, header, contents.Runs);
        if (runs.Count > 0 && runs[^1].Last > contents.Tail.Basis)
            TryUse(runs);
    }

    private IndexView View => view ?? throw new ObjectDisposedException(nameof(IEventStore));

    private FileOpening ReadHandle => isFollower || volume.ForbidsKeptWriteHandles ? FileOpening.Read : FileOpening.ReadWrite;

    // Former: the file in use, in whose place the index is used, unless another thread has put one there or closed the store meanwhile.
    // Made: what the index file has, up to the end.
    private bool TryLoad(bool underLock, IFile? former, IndexTail? made = null, long end = 0)
    {
        if (underLock && volume.ViewMayBeStale)
            files.MakeSureOfNames();
        // Before the file is opened, so that what replaces it while it is read is looked for in time.
        var openedAt = clock.GetTimestamp();
        var index = fileSystem.Open(layout.IndexFile, ReadHandle);
        try
        {
            if (index is null || folder.Id is not { } id || IndexHeader.FindRules(index, id) is not { } rules
                || (made is not null && index.GetLength() < end))
            {
                return false;
            }
            var start = IndexHeader.OfIndex(id, rules);
            // Before anything changes: a run that cannot be read for a moment must leave the former file in use.
            var runs = made is null ? Runs.Load(index, start, view?.Contents.Runs ?? []) : [];
            var tail = made ?? ReadAhead(index, start, runs, out end);
            lock (gate)
            {
                if (file == former)
                {
                    Use(index, start, rules, runs, tail, end);
                    // Before the last frames are read: if that fails, the file stays, and the next call reads on.
                    index = null;
                    Follow(pastCache: false);
                    PublishIfAhead();
                    if (!isFollower)
                        replacedCheckedAt = openedAt;
                }
            }
        }
        finally
        {
            index?.Dispose();
        }
        segments!.ThrowIfNoFile(Head);
        if (isFollower || HasSegments)
            return true;
        replacedCheckedAt = 0;
        return false;
    }

    // Most of it while others append and read. At an opening nobody does yet.
    private IndexTail ReadAhead(IFile index, byte[] start, List<IndexRun> runs, out long end)
    {
        var tail = runs.Count == 0 ? new IndexTail(0, 0, IndexHeader.FirstChain(start)) : runs[^1].NewTail();
        var frames = new FrameReader(index, runs.Count == 0 ? start.Length : runs[^1].Header.FrameEnd);
        while (file is not null && frames.TryAdd(tail, long.MaxValue))
        {
        }
        end = frames.Offset;
        return tail;
    }

    // Under the gate.
    private void Use(IFile index, byte[] start, TagRuleSet rules, List<IndexRun> runs, IndexTail tail, long end)
    {
        foreach (var former in (view?.Contents.Runs ?? []).Except(runs))
            former.GiveUpPages();
        file?.Dispose();
        (file, header, fileEnd) = (index, start, end);
        segments = new Segments(folder, ReadHandle, segments);
        view = new IndexView(new IndexContents([.. runs], tail, Runs.Hash), segments, rules);
        TailGrew?.Invoke(Contents);
    }

    // Whether the file ends at the last frame. If not, what follows is not a frame, or not a complete one yet.
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

    // Returns the number of bytes in whole, valid frames.
    private int Replay(byte[] bytes, int length)
    {
        var contents = Contents;
        var place = contents.Add(bytes, length, frame);
        fileEnd += place;
        PublishIfAhead();
        TailGrew?.Invoke(contents);
        return place;
    }

    // Of the frames in the buffer that follow the head, up to a position.
    private int LengthOfFrames(int length, long end, ref int head, ref uint chain)
    {
        var taken = 0;
        while (length - taken >= IndexFrame.HeaderLength)
        {
            var frameEnd = taken + IndexFrame.HeaderLength + (long)BitConverter.ToUInt32(buffer, taken);
            if (frameEnd > length || !frame.TryRead(buffer, taken, (int)frameEnd, head, chain) || head + frame.Events.Length > end)
                break;
            (taken, head, chain) = ((int)frameEnd, head + frame.Events.Length, frame.Checksum);
        }
        return taken;
    }

    private void PublishIfAhead()
    {
        if (published is null || View.Contents.Head >= published.Contents.Head)
            Volatile.Write(ref published, view);
    }

    private void PrepareFrames(IReadOnlyList<StoredEvent> events, long turns, bool hasLines, bool areLinesFirst)
    {
        if (!hasLines)
            Lines.Encode(events);
        Encoder.Encode(events, Lines, Contents.Chain, Rules);
        // On a network file system the lock may have failed and this view may be stale: until this process has taken the event files' names,
        // it must not overwrite what may belong to another machine. Elsewhere a full disk is found here, before an event is stored.
        if (volume.LockMayBeLost)
            return;
        if (areLinesFirst)
            segments!.Reserve(Contents, Lines, turns, folder.FilesBehind.FilledAhead);
        else
            segments!.Reserve(Contents, Lines, turns);
        Reserve(Encoder.Frames.Length);
    }

    private bool TryMakeRoom(int length)
    {
        if (length < buffer.Length)
            return false;
        var needed = (long)BitConverter.ToUInt32(buffer, 0) + IndexFrame.HeaderLength;
        if (needed <= buffer.Length || needed > StoreLayout.FrameBytesMax)
            return false;
        // As far as there are bytes: the length may be damaged.
        buffer = new byte[Math.Min(needed, 2L * buffer.Length)];
        return true;
    }

    private void WriteFrames(IFile writable)
    {
        writable.Write(Encoder.Frames.Written, fileEnd);
        if (volume.IsWrittenThrough)
            writable.Flush();
    }

    // Frames that grow the file into a new block could fail on a full disk after the events are stored: zeros, which are no frame, are written first.
    private void Reserve(int length)
    {
        if (fileEnd / DerivedFiles.BlockMin == (fileEnd + length) / DerivedFiles.BlockMin && fileEnd % DerivedFiles.BlockMin != 0)
            return;
        files.Write(file!, layout.IndexFile, new byte[length], fileEnd);
    }

    // Without the mark, as on a share, readers look once a second whether the file still has its name.
    private void KeepReplaced()
    {
        if (IsOnShare)
            return;
        try
        {
            if (fileSystem.Open(layout.IndexFile, FileOpening.ReadWrite) is { } former)
                replaced.Add(former);
        }
        catch (FileSystemException)
        {
            // It may be no file, or one that this user may delete and not write.
        }
    }

    // After the last frame of a file that lost its name: as the length of a frame it is too large, so none begins there.
    private void MarkReplaced()
    {
        ReadOnlySpan<byte> mark = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];
        Debug.Assert(mark.Length == IndexFrame.HeaderLength, "A mark is as long as the start of a frame.");
        foreach (var former in replaced)
        {
            using (former)
            {
                try
                {
                    former.Write(mark, former.GetLength());
                }
                catch (FileSystemException)
                {
                    // The disk may be full.
                }
            }
        }
        replaced.Clear();
    }

    private bool IsCheckDue => replacedCheckedAt == 0 || clock.GetElapsedTime(replacedCheckedAt) >= replacedCheckInterval;

    private bool IsOnShare => volume.IsNetwork;

    private bool HasSegments => Head == 0 || segments!.HaveAll(Head);

    // The next line may be the first one of a segment.
    private bool IsSegmentUnlinked => Head > 0 && segments!.IsUnlinked(Head);

    // Readers check only now and then: a deleted index is rebuilt, and until then exclusive creation keeps positions right.
    private bool IsReplaced(bool underLock)
    {
        if (!underLock && !IsCheckDue)
            return false;
        // A rebuild replaces all files, so a writer on a share, where each query is a round trip, queries one. If only the lines were deleted, a
        // read notices it.
        var one = underLock && volume.TakesRoundTrips && replacedCheckedAt != 0;
        var isReplaced = file!.IsUnlinked() || !one && (IsSegmentUnlinked || !HasSegments);
        if (isReplaced || !one)
            replacedCheckedAt = isReplaced ? 0 : clock.GetTimestamp();
        return isReplaced;
    }
}
