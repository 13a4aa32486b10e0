using System.Runtime.ExceptionServices;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Failures;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Opening;

/// <summary>
/// Brings event files up to the log: creates those of lines that were written first, and flushes those that were created without a flush. The lock
/// file notes how far they go.
/// </summary>
internal sealed class FilesBehind(StoreFolder folder, EventIndex index, EventFiles eventFiles, StoreSettings settings)
{
    private const int PieceLength = 1024 * 1024;

    // What is written in one turn, without the lock. A repair, or a process that seals, waits for its end.
    private const int PartsAtOnce = 5;
    private static readonly TimeSpan turnMax = TimeSpan.FromSeconds(1);

    // From this share of the backlog on, appends slow down: at three times it to the pace of the files, and at the end to a third of that.
    private const double SlowFrom = 0.2;
    private const double SlowestTimes = 4;

    private readonly EventFilesOfLines ofLines = new(folder, eventFiles);
    private readonly FilesBehindSettings sizes = folder.FilesBehind;
    private long waiting;
    private long bytes;
    private long behind;
    private long fileTicks = TimeSpan.FromMicroseconds(30).Ticks;

    /// <summary>The number of events that have only lines, as far as this process knows. Any thread may read it.</summary>
    public long Waiting => Interlocked.Read(ref waiting);

    /// <summary>Whether events wait for files, or for a flush, as far as this process knows. Any thread may read it.</summary>
    public bool AreBehind => Interlocked.Read(ref behind) > 0;

    /// <summary>Whether more of them are than one part takes.</summary>
    public bool IsFarBehind => Interlocked.Read(ref behind) > sizes.AtOnceMax;

    private bool IsFull => Backlog >= 1;

    // The share of what may wait for files.
    private double Backlog => Math.Max((double)Waiting / sizes.EventsMax, (double)Interlocked.Read(ref bytes) / sizes.BytesMax);

    /// <summary>
    /// How long appends wait after a number of events, so that files keep up with them: nothing while few are missing, and in proportion to the
    /// backlog as many times what a file costs. So appends slow down evenly, and none stands still.
    /// </summary>
    public TimeSpan DelayAfter(int events) => Backlog is > SlowFrom and var backlog
        ? events * (backlog - SlowFrom) * SlowestTimes * new TimeSpan(Interlocked.Read(ref fileTicks))
        : TimeSpan.Zero;

    /// <summary>Whether the lines of a group with this number of bytes of JSON are written before its files.</summary>
    public bool TakesLinesFirst(long bytes) => settings.UseJournal && bytes <= sizes.GroupBytesMax;

    /// <summary>
    /// Prepares an append: gives events their files, or makes them durable, where those before it were appended in an order that the next one does
    /// not continue. The index is current.
    /// </summary>
    /// <param name="areLinesFirst">Whether the lines of the next append are written first.</param>
    /// <returns>The highest "after" that an event may state: everything up to it is durable, whichever process wrote it.</returns>
    public long Prepare(bool areLinesFirst, StoreLock.Held held)
    {
        // A note beyond the head is about events that a repair cut off or a restored backup lacks. It says nothing about those that replace them.
        FilesNote? note = held.Files is { IsUnknown: false } noted && noted.UpTo <= index.Head ? noted : null;
        var goesOn = note is not { } there || (areLinesFirst ? there.HasLines : !settings.Flush && !there.HasLines);
        Count(held);
        // Order matters: an append must not get files before earlier ones have theirs, or a crash could leave a gap.
        if (!goesOn || (areLinesFirst && IsFull))
        {
            Settle(held);
            note = null;
        }
        if (settings.Flush)
            return index.Head;
        if (note is { } unflushed)
        {
            held.MakeNoteDurable();
            return unflushed.UpTo;
        }
        held.Files = new FilesNote(index.Head, HasLines: false);
        return index.Head;
    }

    /// <summary>Notes, durably, that an append follows whose lines are written first.</summary>
    public void BeginLines(StoreLock.Held held)
    {
        if (held.Files is { HasLines: true } note && note.UpTo <= index.Head)
            held.MakeNoteDurable();
        else
            held.Files = new FilesNote(index.Head, HasLines: true);
    }

    /// <summary>Learns how many events wait for files.</summary>
    /// <exception cref="FileSystemException">The index could not be read.</exception>
    public void Count(StoreLock.Held held)
    {
        CountEvents(held);
        Interlocked.Exchange(ref bytes, index.LineEnd(index.Head) - index.LineEnd(index.Head - Waiting));
    }

    /// <summary>The same after an append, which nothing can fail any more: the index is not read.</summary>
    /// <param name="added">At most this many bytes are in the lines of the append.</param>
    public void CountAppended(long added, StoreLock.Held held)
    {
        CountEvents(held);
        Interlocked.Add(ref bytes, Waiting > 0 ? added : 0);
    }

    /// <summary>Gives every event its file, durably, under the lock.</summary>
    /// <exception cref="StoreDamagedException">The log contradicts the event files, or lacks a part. Nothing was removed.</exception>
    /// <exception cref="DiskStateUnknownException">The files could not be made durable.</exception>
    public void Settle(StoreLock.Held held)
    {
        held.AssertIsHeld();
        if (held.Files is { HasLines: false, IsUnknown: false } unflushed)
            Flush(unflushed.UpTo + 1, index.Head, held);
        else if (held.Files is { HasLines: true } note && (note.UpTo < index.Head || index.HasMoreLines))
            WriteAll(eventFiles.Ahead.PastSealed(note.UpTo), index.Head, held);
        if (held.Files is not null)
            held.Files = null;
        Count(held);
    }

    /// <summary>
    /// The same whatever the index says, which may be missing or name less than the log has. In a copy of a folder the lock file may be missing.
    /// </summary>
    /// <param name="isRepair">
    /// Whether the files of lines after a damaged one are written too, so that the damage is that of a missing event file.
    /// </param>
    /// <returns>The number of events that had only lines.</returns>
    public int SettleLog(StoreLock.Held held, bool isRepair = false)
    {
        held.AssertIsHeld();
        var written = eventFiles.Ahead.After() is { } after ? WriteAll(after, index.NamedHead, held, isRepair) : 0;
        if (held.Files is { IsUnknown: true } or { HasLines: true })
            held.Files = null;
        return written;
    }

    /// <summary>The next events whose files can be written, or flushed, in a turn without the lock; null: there are none.</summary>
    public FilesPart? TakeTurn(StoreLock.Held held)
    {
        if (held.Files is { HasBegunFlush: true })
            Settle(held);
        Count(held);
        if (held.Files is not { IsUnknown: false } note || note.UpTo >= index.Head)
            return null;
        if (!note.HasLines)
            held.BeginFlush();
        // Where files are there already, a flush of the whole file system covers all of them.
        var isOneFlush = !note.HasLines && folder.Volume.CanFlushWhole;
        var parts = note.HasLines ? PartsAtOnce : 1;
        return new FilesPart(note.UpTo + 1, isOneFlush ? index.Head : Math.Min(index.Head, note.UpTo + parts * sizes.AtOnceMax), note.HasLines);
    }

    /// <summary>The parts of a turn, one after the other; as many as there is time for.</summary>
    public IEnumerable<FilesPart> PartsOf(FilesPart turn)
    {
        var started = settings.TimeProvider.GetTimestamp();
        var length = turn.HasLines ? sizes.AtOnceMax : turn.Last - turn.First + 1;
        for (var first = turn.First; first <= turn.Last && settings.TimeProvider.GetElapsedTime(started) < turnMax; first += length)
            yield return turn with { First = first, Last = Math.Min(turn.Last, first + length - 1) };
    }

    /// <summary>Flushes the files of one part, and writes those of the next one meanwhile, without the lock.</summary>
    /// <param name="written">The part whose files are written; null: there is none.</param>
    /// <param name="next">The next part; null: there is none.</param>
    /// <param name="throwIfMoved">Throws when the path leads to another store.</param>
    /// <param name="failure">Why a file of the next part could not be written, while the log has its event; null: nothing failed.</param>
    /// <returns>False when a line is not what the index says.</returns>
    /// <exception cref="DiskStateUnknownException">The files could not be made durable; the log has the events.</exception>
    public bool FlushAndWrite(FilesPart? written, FilesPart? next, Action throwIfMoved, out ExceptionDispatchInfo? failure)
    {
        var started = settings.TimeProvider.GetTimestamp();
        var isWritten = true;
        ExceptionDispatchInfo? failed = null;
        List<Action> work = [];
        if (next is { HasLines: true })
            work.Add(Write);
        if (written is not null)
            work.Add(() => eventFiles.Flush(written.First, written.Last));
        folder.FileSystem.ForEach(work.Count, at => work[at]());
        // A few files cost a whole flush, which may also write what other programs have written: that is not what many cost.
        if (work.Count == 2)
            Interlocked.Exchange(ref fileTicks, settings.TimeProvider.GetElapsedTime(started).Ticks / sizes.AtOnceMax);
        failure = failed;
        return isWritten;

        void Write()
        {
            try
            {
                isWritten = TryWriteLines(next, throwIfMoved);
            }
            catch (Exception e)
            {
                // A flush that fails is reported once, and must not be passed over: the next one would succeed.
                failed = ExceptionDispatchInfo.Capture(e);
            }
        }
    }

    /// <summary>Notes that the events of a part have their files, durably. False when that was done meanwhile.</summary>
    public bool TryNote(FilesPart part, StoreLock.Held held)
    {
        var isNext = held.Files is { } noted && noted.UpTo + 1 == part.First && noted.HasLines == part.HasLines;
        if (isNext && held.Files is { } note)
            held.Files = !note.HasLines && part.Last >= index.Head ? null : note with { UpTo = part.Last, HasBegunFlush = false };
        Count(held);
        return isNext;
    }

    private void CountEvents(StoreLock.Held held)
    {
        var after = held.Files is { HasLines: true } note ? Math.Min(note.UpTo, index.Head) : index.Head;
        Interlocked.Exchange(ref waiting, index.Head - after);
        Interlocked.Exchange(ref behind, index.Head - FilesNote.FilesUpTo(held.Files, index.Head));
    }

    private bool TryWriteLines(FilesPart part, Action throwIfMoved)
    {
        // One view: without the lock, another thread may take in an index that was replaced.
        var view = index.Published;
        var (contents, segments) = (view.Contents, view.Segments);
        if (contents.Head < part.Last || segments is null)
            return false;
        ofLines.CreateShards(part.First, part.Last);
        // Not in parallel: a second thread gains little, because a file system creates the files of a folder mostly one after another.
        for (var first = part.First; first <= part.Last;)
        {
            var last = EndOfPiece(contents, first, part.Last);
            var lines = segments.ReadLines(contents, first, last).AsSpan();
            using var shard = ofLines.OpenShard(folder.Layout.ShardOf(first));
            // Order matters: the open folder stays the store's, wherever its path leads from now on.
            throwIfMoved();
            for (; first <= last; first++)
            {
                var length = (int)(contents.LineEnd(first) - contents.LineEnd(first - 1));
                if (length > lines.Length || EventLine.ChecksumOf(lines[..(length - 1)], first) is null)
                    return false;
                if (shard is null)
                    throwIfMoved();
                ofLines.Write(first, lines[..(length - 1)], shard, throwIfMoved);
                lines = lines[length..];
            }
        }
        return true;
    }

    private void Flush(long first, long last, StoreLock.Held held)
    {
        if (first > last)
            return;
        // Order matters: noted first. A flush after a failed one succeeds, in any process, although bytes are lost.
        if (!held.BeginFlush())
            eventFiles.Mending.WriteAgain(first, last, held);
        eventFiles.Flush(first, last);
    }

    private int WriteAll(long after, long head, StoreLock.Held held, bool isRepair = false)
    {
        var lines = eventFiles.Ahead.Find(after, out var damage, goesOn: isRepair);
        if (!isRepair && damage is var (path, position, problem))
            throw Damaged(path, position, problem);
        // Every event in the index has its file or its line, unless another program has changed this.
        var lacks = (lines.Count > 0 ? lines[^1].Position : after) + 1;
        if (!isRepair && lacks <= head && !eventFiles.HasName(lacks))
        {
            throw Damaged(folder.Layout.Segment(folder.Layout.ShardOf(lacks)), lacks, "no longer has the line of an event that has no event file");
        }
        if (lines.Count == 0)
            return 0;
        ofLines.CreateShards(lines[0].Position, lines[^1].Position);
        foreach (var together in lines.GroupBy(line => folder.Layout.ShardOf(line.Position)))
        {
            using var shard = ofLines.OpenShard(together.Key);
            held.ThrowIfMoved();
            foreach (var (line, text) in together.Zip(eventFiles.Ahead.Read([.. together])))
                ofLines.Write(line.Position, text, shard, held.ThrowIfMoved);
        }
        held.ThrowIfLost();
        eventFiles.Flush(lines[0].Position, lines[^1].Position);
        return lines.Count;
    }

    private long EndOfPiece(IndexContents contents, long first, long last)
    {
        last = Math.Min(last, folder.Layout.LastOf(folder.Layout.ShardOf(first)));
        var start = contents.LineEnd(first - 1);
        var end = first;
        while (end < last && contents.LineEnd(end + 1) - start <= PieceLength)
            end++;
        return end;
    }

    private static StoreDamagedException Damaged(string path, long position, string problem) => new(path, position,
        $"The store is damaged: {path} {problem}. Nothing was removed. End all processes that use the store, and check it: {StoreCheck.InWords} "
            + "names the remedy.");
}
