using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Opening;

/// <summary>
/// The index of a store that is open read-only. It follows the index files while they match the event files, and builds in memory, from the
/// event files, what they lack.
/// </summary>
/// <remarks>
/// It holds no lock, so an append under way looks like one that a crash left. After the end of a sound index it adds only what a later
/// event proves committed. It adds every whole append where no process can be appending: on a read-only file system, or where there is
/// no index, which an appending process would have created.
/// </remarks>
internal sealed class ReadOnlyIndex(StoreFolder folder, EventFiles eventFiles, StoreSettings settings, ILogger logger) : IReadableIndex
{
    private const int ReportedEventsMin = 10_000;

    private static readonly TimeSpan lookInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan patiencePause = TimeSpan.FromMilliseconds(50);

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Volume volume = folder.Volume;
    private readonly Lock gate = new();
    // All indexes opened so far: readers may still hold a view of one that is no longer followed.
    private readonly List<EventIndex> opened = [];
    private EventIndex? followed;
    private IndexView? made;
    private IndexView? published;
    private long lookedAt;

    public IndexView Published => Volatile.Read(ref published) ?? throw new ObjectDisposedException(nameof(IEventStore));

    /// <exception cref="StoreDamagedException">The file of a committed position is missing or bad.</exception>
    public void Open()
    {
        followed = Load(closely: true);
        // The index names every event. Without it, one that is out of reach would be missed by nobody.
        if (followed is null)
            eventFiles.ThrowIfJournalDamaged();
        lookedAt = settings.TimeProvider.GetTimestamp();
        var started = settings.TimeProvider.GetTimestamp();
        while (MakeWhatIsLacking() is { } damage)
        {
            // On a share, existing names may stay invisible for a while.
            if (!volume.IsNetwork || settings.TimeProvider.GetElapsedTime(started) >= settings.RecoveryPatience)
                throw damage;
            fileSystem.Pause(patiencePause);
        }
        Publish();
    }

    public IndexView TakeView()
    {
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(published is null, typeof(IEventStore));
            if (followed is null && settings.TimeProvider.GetElapsedTime(lookedAt) >= lookInterval)
            {
                followed = Load(closely: false);
                lookedAt = settings.TimeProvider.GetTimestamp();
            }
            followed?.CatchUp();
            Publish();
            return published;
        }
    }

    /// <summary>Does nothing: a read-only store repairs no copies.</summary>
    public void NoteDamagedCopy(long position)
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

    // Null: there is no index, or it does not match the event files.
    private EventIndex? Load(bool closely)
    {
        var index = new EventIndex(folder, settings.TimeProvider, isFollower: true, logger);
        opened.Add(index);
        if (index.TryLoad() && IsBelieved(index, closely))
            return index;
        opened.Remove(index);
        index.Dispose();
        return null;
    }

    private bool IsBelieved(EventIndex index, bool closely)
    {
        var judgement = new IndexJudgement(index, eventFiles);
        var durable = StoreLock.ReadDurableUpTo(fileSystem, layout.LockFile) ?? index.Head;
        if (judgement.IsSound() && judgement.FitsAfter(durable))
            return true;
        return closely && judgement.IsOfTheseEvents(durable, out var lostCopies)
            && lostCopies.TrueForAll(position => eventFiles.Read(position, out _) is not null);
    }

    // Returns the damage that prevents it; null when nothing is missing any more.
    private StoreDamagedException? MakeWhatIsLacking()
    {
        // At most the events of a group, or the search could chase a process that keeps appending.
        var listed = folder.HasEvents
            ? eventFiles.Listing.AfterOnServer(followed?.Head ?? 0, EventGroup.EventsMax, static () => { }, out _)
            : [];
        // Order matters: the index is read after the listing, so a listed position that it lacks was not committed when the folder was listed.
        followed?.CatchUp();
        var head = followed?.Head ?? 0;
        var last = listed.Count > 0 ? listed[^1] : 0;
        var proven = eventFiles.ProvenDurable(listed);
        var wanted = followed is null || volume.IsReadOnly ? last : proven;
        if (wanted <= head && followed is not null)
            return FirstEdited(listed, after: head);

        var basis = followed is null ? null : Load(closely: true);
        made = basis?.Published ?? new IndexView(new IndexContents(), null);
        var reader = new CommitReader(eventFiles, made.Contents.Head, wanted);
        Make(reader, made.Contents, wanted);
        if (reader.Problem is { } problem && problem.Position <= proven)
            return Damaged(problem, proven);
        if (FirstEdited(listed, after: made.Contents.Head) is { } edited)
            return edited;
        StoreLog.IndexMadeInMemory(logger, layout.Root, made.Contents.Head - head);
        return null;
    }

    // Neither an append under way nor one that a crash left looks like an edited file.
    private StoreDamagedException? FirstEdited(List<long> listed, long after) =>
        listed.Count > 0 && listed[^1] > after && eventFiles.FirstEdited(listed.Where(position => position > after)) is { } edited
            ? eventFiles.Edited(edited)
            : null;

    private void Make(CommitReader reader, IndexContents contents, long wanted)
    {
        var encoder = new IndexEncoder();
        var frame = new IndexFrame();
        var first = contents.Head;
        foreach (var whole in reader.ReadWhole())
        {
            encoder.Encode(whole, contents.Chain);
            contents.Add(encoder.Frames.Bytes, encoder.Frames.Length, frame);
            encoder.Trim();
            if (wanted - first >= ReportedEventsMin)
                settings.RebuildProgress?.Report(new StoreProgress(StoreWork.IndexRebuild, contents.Head - first, wanted - first));
        }
    }

    private StoreDamagedException Damaged(FileProblem problem, long proven)
    {
        var path = eventFiles.PathOf(problem.Position);
        return new StoreDamagedException(path, problem.Position,
            $"The store is damaged at position {problem.Position}: {path} {problem.What}, although later events prove that everything up to "
                + $"position {proven} had been committed. "
            + $"{nameof(StoreCheck)} names everything that is wrong and its remedy; see docs/operations.md.");
    }
}
