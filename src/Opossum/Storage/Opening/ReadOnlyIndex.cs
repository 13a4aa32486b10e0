using System.Globalization;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Opening;

/// <summary>
/// The index of a store that is open read-only. It follows the index files while they match the event files, and builds in memory, from the
/// event files, what they lack.
/// </summary>
/// <remarks>Without the lock, an append under way looks like one that the index lost: docs/decisions/0010.</remarks>
internal sealed class ReadOnlyIndex(StoreFolder folder, EventFiles eventFiles, StoreSettings settings, ILogger logger) : IReadableIndex
{
    // As many as a group has, or the search could chase a process that keeps appending.
    private const int FurtherMax = 1_000;

    private static readonly TimeSpan lookInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan patiencePause = TimeSpan.FromMilliseconds(50);

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Volume volume = folder.Volume;
    private readonly Lock gate = new();
    // All indexes opened so far: readers may still hold a view of one that is no longer followed.
    private readonly List<EventIndex> opened = [];
    private EventIndex? followed;
    private EventIndex? basis;
    private IndexView? made;
    private IndexView? published;
    private long lookedAt;
    private long? awaited;
    private bool isLockDenied;

    public IndexView Published => Volatile.Read(ref published) ?? throw new ObjectDisposedException(nameof(IEventStore));

    /// <exception cref="StoreDamagedException">The file of a committed position is missing or bad.</exception>
    /// <exception cref="StoreOpenException">Whether the last events are stored was not certain in time.</exception>
    public void Open()
    {
        followed = Load(closely: true);
        // The index names every event. Without it, one that is out of reach would be missed by nobody.
        if (followed is null)
            eventFiles.ThrowIfLogDamaged();
        lookedAt = settings.TimeProvider.GetTimestamp();
        var (started, paused) = (settings.TimeProvider.GetTimestamp(), TimeSpan.Zero);
        while (MakeWhatIsLacking() is { } trouble)
        {
            // On a share, existing names may stay invisible for a while.
            var patience = trouble is StoreOpenException ? settings.LockTimeout : volume.ViewMayBeStale ? settings.RecoveryPatience : TimeSpan.Zero;
            var elapsed = settings.TimeProvider.GetElapsedTime(started);
            // Pauses take real time even if the clock, as in a test, stands still.
            if ((elapsed > paused ? elapsed : paused) >= patience)
                throw trouble;
            fileSystem.Pause(patiencePause);
            paused += patiencePause;
            followed ??= Load(closely: true);
        }
        Publish();
    }

    public IndexView TakeView(bool pastCache = false)
    {
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(published is null, typeof(IEventStore));
            if (followed is null && settings.TimeProvider.GetElapsedTime(lookedAt) >= lookInterval)
            {
                lookedAt = settings.TimeProvider.GetTimestamp();
                followed = TryLoad();
            }
            followed?.CatchUp(pastCache && volume.ViewMayBeStale);
            Publish();
            return published;
        }
    }

    /// <summary>Does nothing: a read-only store mends no lines.</summary>
    public void NoteDamagedLine(long position)
    {
    }

    public void Dispose()
    {
        lock (gate)
        {
            opened.ForEach(static index => index.Dispose());
            opened.Clear();
            Volatile.Write(ref published, null);
        }
    }

    // A reader's head never goes back: the contents built in memory stay published until the files hold as much.
    private void Publish()
    {
        if (followed is not null && (made is null || followed.Published.Contents.Head >= made.Contents.Head))
            made = null;
        Volatile.Write(ref published, made ?? followed!.Published);
    }

    // While the store is opened nobody has a view of the one before.
    private IndexView? LoadAgain()
    {
        if (basis is not null && opened.Remove(basis))
            basis.Dispose();
        basis = Load(closely: true);
        return basis?.Published;
    }

    // Null also: it cannot be read, and what was made of the event files says the same.
    private EventIndex? TryLoad()
    {
        try
        {
            return Load(closely: false);
        }
        catch (FileSystemException)
        {
            return null;
        }
    }

    // Null: there is no index, or it does not match the event files.
    private EventIndex? Load(bool closely)
    {
        // While the store was being created there was none.
        if (folder.Id is null)
            folder.Read();
        var index = new EventIndex(folder, settings.TimeProvider, isFollower: true, logger);
        var isBelieved = false;
        try
        {
            isBelieved = index.TryLoad() && IsBelieved(index, closely);
        }
        finally
        {
            if (isBelieved)
                opened.Add(index);
            else
                index.Dispose();
        }
        return isBelieved ? index : null;
    }

    private bool IsBelieved(EventIndex index, bool closely)
    {
        var judgement = new IndexJudgement(index, eventFiles, folder.Layout);
        var durable = StoreLock.ReadDurable(fileSystem, layout.LockFile) ?? index.Head;
        if (judgement.IsSound() && judgement.FitsAfter(durable))
            return true;
        return closely && judgement.IsOfTheseEvents(durable, out var lostLines)
            && lostLines.TrueForAll(position => eventFiles.Read(position, out _) is not null);
    }

    // Returns what prevents it; null when nothing is missing any more.
    // Invariant: after the end of the index, an event is shown only if a later one proves it committed, or if the lock
    // was free, or the volume read-only, after it was listed: then its process has published it, taken it back, or
    // ended. Where the lock cannot be seen, a backup counts as free. So the order is list, index, lock, index, events.
    private EventStoreException? MakeWhatIsLacking()
    {
        var listed = folder.HasEvents
            ? eventFiles.Listing.AfterOnServer(followed?.Head ?? 0, FurtherMax, static () => { })
            : [];
        followed?.CatchUp();
        var last = listed.Count > 0 ? listed[^1] : 0;
        if (followed is not null && last <= followed.Head)
            return null;
        var proven = eventFiles.ProvenDurable(listed);
        var isSettled = volume.IsReadOnly || IsLockFree();
        followed?.CatchUp();
        var head = followed?.Head ?? 0;
        // What was made before stays: it was proven.
        made = (followed is null ? made : LoadAgain()) ?? new IndexView(new IndexContents(), null, TagRuleFiles.Read(fileSystem, layout));
        var contents = made.Contents;
        var reader = new CommitReader(eventFiles, contents.Head, isSettled ? last : proven);
        Make(reader, contents, made.Rules);
        if (reader.Problem is { } problem && problem.Position <= proven)
            return Damaged(problem, proven);
        if (FirstEdited(listed, after: contents.Head) is { } edited)
            return edited;
        if (isSettled)
            MakeDurable(Math.Max(proven, head) + 1, contents.Head);
        else if (FindUnsettled(contents.Head, last) is var whole and > 0 && head < (awaited ??= whole))
            return NotSettled(contents.Head + 1);
        if (contents.Head > head)
            StoreLog.IndexMadeInMemory(logger, layout.Root, contents.Head - head);
        return null;
    }

    // Whether no process had the store's lock at this moment. False also when this user may not know, except of a backup: no process appends there.
    private bool IsLockFree()
    {
        // Such locks are not seen by all.
        if (volume.LockRefusal is not null)
            return folder.IsBackup;
        isLockDenied = false;
        try
        {
            using var file = fileSystem.Open(layout.LockFile, FileOpening.Read);
            return file is null || !file.IsLocked(StoreLayout.LockOffset);
        }
        catch (FileSystemException e)
        {
            isLockDenied = e.Error == FileError.AccessDenied;
            return isLockDenied && folder.IsBackup;
        }
    }

    // The last position of the whole appends that follow; 0 when none does.
    private long FindUnsettled(long head, long last) =>
        new CommitReader(eventFiles, head, last).ReadWhole().Select(static whole => whole[^1].Position).LastOrDefault();

    // A process that has ended may not have flushed them, and the next one that opens the store for writing does it before it shows them.
    private void MakeDurable(long first, long last)
    {
        if (first <= last && !volume.IsReadOnly)
            eventFiles.FlushForReader(first, last);
    }

    private StoreOpenException NotSettled(long position) => new(layout.LockFile,
        $"The store in {layout.Root} was not opened: {eventFiles.PathOf(position)} and what follows may be an append that is not complete, "
            + $"or events that were stored and that the index has lost, as after a power cut. {layout.LockFile} shows which, but "
            + (isLockDenied
                ? "this process may not read it. Open the store for writing once (opossum repair open), as a user who may write there: that ends the "
                    + "doubt. Or give this process the right to read and write that file."
                : volume.LockRefusal
                ?? $"a process had it locked for {settings.LockTimeout.TotalSeconds.ToString("0.#", CultureInfo.InvariantCulture)} s. Open the store "
                    + "again; if the error stays, look whether a process that uses the store hangs, and end it."), isTransient: true);

    // Neither an append under way nor one that a crash left looks like an edited file.
    private StoreDamagedException? FirstEdited(List<long> listed, long after) =>
        listed.Count > 0 && listed[^1] > after && eventFiles.FirstEdited(listed.Where(position => position > after)) is { } edited
            ? eventFiles.Edited(edited)
            : null;

    private void Make(CommitReader reader, IndexContents contents, TagRuleSet rules)
    {
        var (lines, encoder) = (new EventLines(), new IndexEncoder());
        var frame = new IndexFrame();
        var first = contents.Head;
        foreach (var whole in reader.ReadWhole())
        {
            lines.Encode(whole);
            encoder.Encode(whole, lines, contents.Chain, rules);
            contents.Add(encoder.Frames.Bytes, encoder.Frames.Length, frame);
            encoder.Trim();
            if (reader.Last - first >= layout.ShardPositions)
            {
                settings.RebuildProgress.Report(StoreOperation.IndexRebuild, contents.Head - first,
                    reader.Last - first);
            }
        }
    }

    private StoreDamagedException Damaged(FileProblem problem, long proven)
    {
        var path = eventFiles.PathOf(problem.Position);
        return new StoreDamagedException(path, problem.Position,
            $"The store is damaged at position {problem.Position}: {path} {problem.What}, although later events prove that everything up to "
                + $"position {proven} had been committed. "
            + $"{StoreCheck.InWords} names everything that is wrong and its remedy; see docs/operations.md.");
    }
}
