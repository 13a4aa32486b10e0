using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using Opossum.FileSystem;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>
/// The journal: events that are stored and durable before they have event files. It is written and emptied under the lock. Its two files are
/// written in turn, so that one can be emptied while groups go into the other. On a network file system it is only emptied.
/// </summary>
internal sealed class Journal(StoreFolder folder, EventFiles eventFiles) : IDisposable
{
    private const int BufferLengthKept = 4 * 1024 * 1024;

    private const string Advice = "The index may have copies: end all processes that use the store, move the folder "
        + $"{StoreLayout.JournalFolderName} away and keep it, then call {nameof(StoreRepair)}.{nameof(StoreRepair.RestoreFromIndexAsync)}.";

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly JournalFile[] files = [new(folder, 0), new(folder, 1)];
    private readonly JournalledEventFiles journalled = new(folder, eventFiles);
    private ArrayBufferWriter<byte> buffer = new(4096);
    private int active;
    private long waiting;
    private long bytes;
    private bool isKnown;
    private long turns;

    /// <summary>The position of the last event in the journal; 0 when it is empty. Known after <see cref="CatchUp"/>.</summary>
    public long Last => Math.Max(files[0].Content.Last, files[1].Content.Last);

    /// <summary>The number of events that may have no event file yet, as far as this process knows. Any thread may read it.</summary>
    public long Waiting => Interlocked.Read(ref waiting);

    /// <summary>Whether appends should wait until events have event files, as far as this process knows. Any thread may read it.</summary>
    public bool IsCrowded => Waiting >= folder.Journal.EventsMax / 2 || Bytes >= folder.Journal.BytesMax / 2;

    /// <summary>Whether appends have to wait until events have event files.</summary>
    public bool IsFull => Waiting >= folder.Journal.EventsMax || Bytes >= folder.Journal.BytesMax;

    private long Bytes => Interlocked.Read(ref bytes);

    /// <summary>Whether a group with so many bytes of JSON goes into the journal.</summary>
    public bool Takes(long bytes) => bytes <= folder.Journal.GroupBytesMax;

    /// <summary>Whether the store has a journal, used or not.</summary>
    public bool IsThere => fileSystem.GetKind(folder.Layout.Journal) == EntryKind.Folder;

    /// <summary>Creates the journal's files, so that the first append does not have to.</summary>
    public void Prepare(StoreLock.Held held)
    {
        held.AssertIsHeld();
        fileSystem.CreateFolder(folder.Layout.Journal);
        foreach (var file in files)
            file.Prepare();
        fileSystem.FlushFolder(folder.Layout.Journal);
        fileSystem.FlushFolder(folder.Root);
    }

    /// <summary>Learns what other processes have written or emptied.</summary>
    /// <param name="held">The lock.</param>
    public void CatchUp(StoreLock.Held held)
    {
        held.AssertIsHeld();
        if (!isKnown || turns != held.Turns)
            Refresh(isUnknown: !isKnown, held);
    }

    /// <summary>Writes the lines of events as a group and makes them durable: the commit point of an append.</summary>
    /// <exception cref="FileSystemException">They could not be written; nothing of them is left.</exception>
    /// <exception cref="DiskStateUnknownException">They could not be made durable.</exception>
    public void Append(IReadOnlyList<StoredEvent> events, EventLines lines, StoreLock.Held held)
    {
        held.AssertIsHeld();
        if (buffer.Capacity > BufferLengthKept)
            buffer = new ArrayBufferWriter<byte>(4096);
        buffer.ResetWrittenCount();
        buffer.Write(lines.Written);
        Debug.Assert(Last == 0 || Last == events[0].Position - 1, "The journal's positions are contiguous.");
        // Order matters: another process that takes the lock after a power cut of this machine relies on the note.
        held.BeginJournal(events[0].Position - 1);
        if (!files[active].Content.IsEmpty && files[1 - active].Content.IsEmpty
            && !files[active].HasRoom(buffer.WrittenCount + JournalText.ClosingLengthMax))
        {
            active = 1 - active;
        }
        var file = files[active];
        try
        {
            if (file.Content.IsEmpty)
                file.Begin();
            var content = file.Content;
            var checksum = JournalText.Close(buffer,
                new JournalClosing(events[0].Position, events[^1].Position, buffer.WrittenCount, content.Use, content.Chain));
            file.Write(buffer.WrittenSpan);
            content.Add(
                Enumerable.Range(0, lines.Count).Select(at =>
                    new JournalLine(events[0].Position + at, active, content.End + lines.StartOf(at), lines.LengthOf(at) - 1)),
                checksum, content.End + buffer.WrittenCount);
            NoteWaiting(held);
        }
        catch
        {
            isKnown = false;
            throw;
        }
    }

    /// <summary>Creates the event files that are not known to be durable, makes them durable, and empties the journal.</summary>
    /// <exception cref="StoreDamagedException">The journal contradicts the event files, or lacks a part. Nothing was removed.</exception>
    /// <exception cref="DiskStateUnknownException">The event files could not be made durable; the journal has the events.</exception>
    /// <param name="head">The last position in the index.</param>
    /// <param name="held">The lock.</param>
    public void Drain(long head, StoreLock.Held held) => Drain(held.JournaledAfter ?? 0, head, held);

    /// <summary>Reads the journal again when it lacks what it should have: another process may have emptied it.</summary>
    /// <param name="head">The last position in the index.</param>
    /// <param name="held">The lock.</param>
    /// <exception cref="StoreDamagedException">It lacks events that have no files.</exception>
    public void LookAgain(long head, StoreLock.Held held)
    {
        var isThere = IsThere;
        if (isThere)
            Refresh(isUnknown: true, held);
        ThrowIfLacking(head, isThere, held);
    }

    /// <summary>
    /// The same as <see cref="Drain(long, StoreLock.Held)"/> for every event in the journal, whatever is known: in a copy of a folder, the lock
    /// file's note may be newer than the event files.
    /// </summary>
    /// <returns>The number of events.</returns>
    public int DrainAll(StoreLock.Held held) => Drain(0, head: 0, held);

    /// <summary>Makes durable that the journal is empty: before a repair removes or changes events that it may have had.</summary>
    public void FlushEmpty(StoreLock.Held held)
    {
        held.AssertIsHeld();
        foreach (var file in files)
            file.FlushEmpty();
    }

    /// <summary>The first events whose event files are to be written without holding the lock.</summary>
    /// <param name="held">The lock.</param>
    public JournalBacklog TakeBacklog(StoreLock.Held held)
    {
        var lines = LinesAfter(held.JournaledAfter ?? 0, folder.Journal.BacklogMax);
        return new JournalBacklog(lines, [.. lines.Select(static line => line.File).Distinct().Select(file => (file, files[file].Content.Use))]);
    }

    /// <summary>
    /// Creates the event files of a backlog and makes them durable, without the lock. False when the journal was emptied meanwhile.
    /// </summary>
    /// <param name="backlog">The backlog.</param>
    /// <param name="throwIfMoved">Called before each file; throws when the path leads to another store.</param>
    /// <exception cref="FileSystemException">A file could not be written; the journal has the events.</exception>
    /// <exception cref="DiskStateUnknownException">The files could not be made durable; the journal has the events.</exception>
    public bool TryWriteEventFiles(JournalBacklog backlog, Action throwIfMoved)
    {
        journalled.CreateShards(backlog.Lines[0].Position, backlog.Lines[^1].Position);
        // Not in parallel: a second thread gains little, because a file system creates the files of a folder mostly one after another.
        foreach (var line in backlog.Lines)
        {
            var text = files[line.File].Read(line);
            if (!JournalledEventFiles.IsOf(text, line.Position))
                return false;
            throwIfMoved();
            journalled.Write(line, text, files[line.File].Path);
        }
        eventFiles.Flush(backlog.Lines[0].Position, backlog.Lines[^1].Position);
        return true;
    }

    /// <summary>Notes that the events of a backlog have event files, and empties what they fill alone.</summary>
    /// <param name="backlog">The backlog.</param>
    /// <param name="held">The lock.</param>
    public void Drop(JournalBacklog backlog, StoreLock.Held held)
    {
        // Another process has drained it meanwhile.
        if (backlog.Uses.Any(each => each.Use != files[each.File].Content.Use) || held.JournaledAfter is not { } after)
            return;
        if (backlog.Written > after)
            held.JournaledAfter = backlog.Written;
        Empty(backlog.Written, held);
        NoteWaiting(held);
    }

    public void Dispose()
    {
        foreach (var file in files)
            file.Dispose();
    }

    // Every event in the index of a local store has its file or is in the journal, unless another program has changed this.
    private void ThrowIfLacking(long head, bool isThere, StoreLock.Held held)
    {
        if (held.JournaledAfter is not { } after)
            return;
        var last = Math.Max(after, isThere ? Last : 0);
        if (last >= head || eventFiles.HasName(last + 1))
            return;
        throw new StoreDamagedException(folder.Layout.Journal, last + 1, string.Create(CultureInfo.InvariantCulture,
            $"The store is damaged: {folder.Layout.Journal} no longer has the events of positions {last + 1} to {head}, which have no event files. ")
            + Advice);
    }

    private int Drain(long after, long head, StoreLock.Held held)
    {
        held.AssertIsHeld();
        List<JournalLine> lines = [];
        var isThere = IsThere;
        if (isThere)
        {
            Refresh(isUnknown: true, held);
            ThrowIfOtherStores();
        }
        // Order matters: before the journal counts as empty.
        ThrowIfLacking(head, isThere, held);
        if (isThere)
        {
            lines = LinesAfter(after, int.MaxValue);
            if (lines.Count > 0)
                journalled.CreateShards(lines[0].Position, lines[^1].Position);
            foreach (var line in lines)
                journalled.Write(line, files[line.File].Read(line), files[line.File].Path);
            if (lines.Count > 0)
                eventFiles.Flush(lines[0].Position, lines[^1].Position);
            // Order matters: before anything is emptied.
            foreach (var file in files)
                ThrowIfMoreFollows(file);
            Empty(long.MaxValue, held);
        }
        if (held.JournaledAfter is not null)
            held.JournaledAfter = null;
        NoteWaiting(held);
        return lines.Count;
    }

    private void NoteWaiting(StoreLock.Held held)
    {
        Interlocked.Exchange(ref waiting, held.JournaledAfter is { } after ? Math.Max(0, Last - after) : 0);
        Interlocked.Exchange(ref bytes, files[0].Content.End + files[1].Content.End);
    }

    private List<JournalLine> LinesAfter(long position, int max) =>
        [.. files.OrderBy(static file => file.Content.First).SelectMany(file => file.Content.LinesAfter(position)).Take(max)];

    private void Refresh(bool isUnknown, StoreLock.Held held)
    {
        isKnown = false;
        turns = held.Turns;
        foreach (var file in files)
            file.Refresh(isUnknown);
        active = files[1].Content.Last > files[0].Content.Last ? 1 : 0;
        isKnown = true;
        NoteWaiting(held);
    }

    private void Empty(long last, StoreLock.Held held)
    {
        isKnown = false;
        // Order matters: the file with the last groups comes last. What an interruption leaves ends where the next group begins.
        foreach (var file in files.OrderBy(static file => file.Content.Last))
        {
            if (file.Content.Last <= last)
                file.Empty(held);
        }
        isKnown = true;
    }

    private void ThrowIfOtherStores()
    {
        foreach (var file in files)
        {
            if (file.Content.OtherStore is { } other)
            {
                throw new StoreDamagedException(file.Path, 0,
                    $"{file.Path} belongs to the store {other:D}, not to this one. Nothing was changed. If the folder "
                        + $"{StoreLayout.JournalFolderName} was copied from another store, move it away.");
            }
        }
    }

    // Groups follow each other without a gap. One that stands alone is left from an earlier use, and its events have files; or what was before
    // it is damaged.
    private void ThrowIfMoreFollows(JournalFile file)
    {
        if (new JournalSearch(file.Read).FindUnwritten(file.Content.End, journalled) is not var (offset, closing))
            return;
        throw new StoreDamagedException(file.Path, closing.First, string.Create(CultureInfo.InvariantCulture,
            $"The store is damaged: {file.Path} is overwritten or edited before byte {offset}. The events of positions {closing.First} to ")
            + string.Create(CultureInfo.InvariantCulture, $"{closing.Last}, which follow there, have no event files. Nothing was changed. ")
            + Advice);
    }
}
