using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Repair;

/// <summary>A store under repair: its parts and its lock, which it holds until it is disposed.</summary>
internal sealed class StoreUnderRepair : IDisposable
{
    private const int ReportedEvents = 1_000;

    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    private readonly StoreLock storeLock;
    private readonly StoreDuty sealingDuty;
    private readonly StoreDuty? filesDuty;
    private readonly FilesBehind files;
    private readonly RunBuilder runs;
    private readonly Recovery recovery;
    private readonly Quarantine quarantine;
    private readonly IndexJudgement judgement;
    private readonly FolderSealing sealing;
    private readonly FolderUnsealing unsealing;
    private readonly List<long> unsealed = [];
    private readonly IProgress<StoreProgress>? progress;
    private StoreLock.Held held;
    private TagRuleSet rules = TagRuleSet.None;
    private bool hasSegments;

    private StoreUnderRepair(StoreFolder folder, StoreLock storeLock, StoreDuty sealingDuty, StoreDuty? filesDuty, StoreSettings settings)
    {
        FileSystem = folder.FileSystem;
        this.storeLock = storeLock;
        this.sealingDuty = sealingDuty;
        this.filesDuty = filesDuty;
        Layout = folder.Layout;
        IsOfNewerMinor = folder.IsOfNewerMinor;
        EventFiles = new EventFiles(folder);
        Index = new EventIndex(folder, settings.TimeProvider);
        quarantine = new Quarantine(folder, settings.TimeProvider, keepsToOne: true);
        sealing = new FolderSealing(folder, EventFiles, () => held.ThrowIfLost());
        unsealing = new FolderUnsealing(folder, EventFiles, () => held.ThrowIfLost(), quarantine);
        files = new FilesBehind(folder, Index, EventFiles, settings);
        runs = new RunBuilder(Index, folder, NullLogger.Instance);
        recovery = new Recovery(folder, Index, runs, EventFiles, files, quarantine, settings, NullLogger.Instance);
        judgement = new IndexJudgement(Index, EventFiles, Layout);
        progress = settings.RebuildProgress;
    }

    public IFileSystem FileSystem { get; }

    public StoreLayout Layout { get; }

    /// <inheritdoc cref="StoreFolder.IsOfNewerMinor"/>
    public bool IsOfNewerMinor { get; }

    public EventFiles EventFiles { get; }

    public EventIndex Index { get; }

    /// <summary>
    /// Whether the index file existed and carries this store's id. It does not say that it matches the event files, or that all lines are there.
    /// </summary>
    public bool HasIndex { get; private set; }

    /// <exception cref="StoreOpenException">The folder is not a store that can be repaired.</exception>
    /// <exception cref="StoreLockTimeoutException">The lock was not free.</exception>
    public static StoreUnderRepair Open(IFileSystem fileSystem, StoreLayout layout, TimeProvider clock, IProgress<StoreProgress>? progress)
    {
        var folder = StoreFolder.OpenExisting(fileSystem, layout);
        // A store in whose place another was promoted can be repaired: that ends it where the other one begins.
        if (folder.FindReplica() is { } replica && replica.Term == folder.Read()?.Term)
        {
            throw new StoreOpenException(layout.ReplicaFile,
                $"{layout.Root} is a replica of {replica.Source}: repair that store, and the replica follows. If only the replica is damaged, "
                    + $"{ReplicaFile.Mending}. Nothing was changed.");
        }
        if (folder.Volume.LockRefusal is { } refusal)
            throw new StoreOpenException(layout.Root, $"The store in {layout.Root} cannot be repaired safely. {refusal}");
        var settings = StoreSettings.ForOneRun(clock) with { LockTimeout = lockTimeout, RebuildProgress = progress };
        var storeLock = new StoreLock(folder, clock);
        StoreDuty? sealingDuty = null, filesDuty = null;
        StoreUnderRepair? store = null;
        try
        {
            storeLock.Verify();
            // Before the lock: a process that has one of these duties takes the lock to end it.
            sealingDuty = StoreDuty.Take(folder, Duty.Sealing, lockTimeout);
            filesDuty = StoreDuty.TakeFilesIfUsed(folder, lockTimeout);
            var held = storeLock.Acquire(lockTimeout);
            if (filesDuty is null && fileSystem.GetKind(layout.FilesLockFile) != EntryKind.Missing)
            {
                // A process has taken it for the first time meanwhile.
                held.Dispose();
                filesDuty = StoreDuty.TakeFilesIfUsed(folder, lockTimeout);
                held = storeLock.Acquire(lockTimeout);
            }
            store = new StoreUnderRepair(folder, storeLock, sealingDuty, filesDuty, settings) { held = held };
            store.Begin();
            return store;
        }
        catch
        {
            store?.Dispose();
            filesDuty?.Dispose();
            sealingDuty?.Dispose();
            storeLock.Dispose();
            throw;
        }
    }

    /// <summary>Reports how many of the events to read have been read, at regular numbers of events and at the end.</summary>
    public void ReportProgress(long done, long total)
    {
        if (done == total || done % ReportedEvents == 0)
            progress.Report(StoreOperation.Repair, done, total);
    }

    /// <summary>The positions of all event files.</summary>
    public List<long> List() => EventFiles.Listing.After(0);

    /// <summary>Whether the index is sound and ends at a position, after which there is no line, and no position is in a sealed folder.</summary>
    public bool EndsAt(long position) => hasSegments && Index.Head == position && judgement.IsSound() && !Index.HasLinesAnywhereAfter
        && !EventFiles.IsSealed(Layout.ShardOf(position + 1));

    /// <summary>The event at a position, from its line; null when it has no intact one.</summary>
    public StoredEvent? ReadStored(long position) =>
        HasIndex && position <= Index.Head ? EventLine.ReadStored(Index.ReadLine(position), position) : null;

    /// <summary>The checksum of a position's event file, from its line; null when it has no intact one.</summary>
    public uint? ReadChecksum(long position) =>
        HasIndex && position <= Index.Head ? EventLine.ChecksumOf(Index.ReadLine(position), position) : null;

    /// <summary>The exact bytes of a position's event file, as its line gives them, which was intact before.</summary>
    /// <exception cref="FileSystemException">It no longer is.</exception>
    public byte[] ReadText(long position) => ReadStored(position) is { } stored ? EventFile.TextOfLine(stored.Line)
        : throw new FileSystemException(FileError.Other, "read", Layout.Segment(Layout.ShardOf(position)), "a line was intact and no longer is");

    /// <summary>
    /// Makes the event files of the positions whose folders are sealed, bad ones of bad lines, so that they are repaired as event files.
    /// </summary>
    public void Unseal(IEnumerable<long> positions)
    {
        foreach (var shard in positions.Select(Layout.ShardOf).Distinct())
        {
            if (unsealing.Run(shard, _ => held.ThrowIfLost(), takesBad: true) is not null)
                unsealed.Add(shard);
        }
    }

    /// <summary>Seals again what was unsealed for this repair, as far as all is there and valid.</summary>
    public void SealAgain()
    {
        foreach (var shard in unsealed.Where(shard => sealing.IsFull(shard) && IsWhole(shard)))
        {
            if (sealing.Write(shard, _ => held.ThrowIfLost()) is not null)
                sealing.RemoveEventFiles(shard, areSealed: true, static _ => { }, storeLock.ThrowIfMoved);
        }
    }

    /// <summary>Moves event files into this repair's Quarantine folder.</summary>
    /// <param name="positions">The positions, ascending.</param>
    /// <param name="ending">A suffix for their names there.</param>
    public void SetAside(List<long> positions, string ending = "")
    {
        if (positions.Count == 0)
            return;
        // Order matters: copied durably first, or a crash could lose a file that is not moved atomically.
        quarantine.Keep(positions.FindAll(position => TryReadBytes(position) is not null), position => TryReadBytes(position)!,
            quarantine.UseFolder(), ending);
        held.ThrowIfLost();
        quarantine.MoveIn(positions, quarantine.UseFolder(), held, ending);
    }

    /// <summary>Writes copies of event files into this repair's Quarantine folder.</summary>
    public void KeepCopies(List<long> positions, Func<long, byte[]> read)
    {
        if (positions.Count > 0)
            quarantine.Keep(positions, read, quarantine.UseFolder());
    }

    /// <inheritdoc cref="EventFileMending.Create"/>
    public void CreateEventFiles(List<long> positions, Func<long, byte[]> read) => EventFiles.Mending.Create(positions, read, held);

    /// <inheritdoc cref="EventFileMending.Replace"/>
    public void ReplaceEventFile(long position, ReadOnlySpan<byte> text) => EventFiles.Mending.Replace(position, text, held);

    /// <summary>
    /// Reads the events of all whole appends. Deleting the index deletes the last copies of events whose files are gone, so this comes before.
    /// </summary>
    /// <param name="refusal">What is not done when an event is missing, as the beginning of a sentence.</param>
    /// <returns>The last position.</returns>
    /// <exception cref="StoreDamagedException">A committed event file is missing or bad.</exception>
    public long ReadWhole(string refusal, Action<StoredEvent>? see = null)
    {
        var listed = List();
        var proven = EventFiles.ProvenDurable(listed);
        if (HasIndex && judgement.IsOfTheseEvents(FilesNote.Durable(held.Files) ?? Index.Head, out _))
            proven = Math.Max(proven, Index.Head);
        var reader = new CommitReader(EventFiles, 0, listed.Count > 0 ? listed[^1] : 0);
        var last = 0L;
        foreach (var stored in reader.ReadWhole().SelectMany(static whole => whole))
        {
            last = stored.Position;
            see?.Invoke(stored);
            ReportProgress(last, listed.Count);
        }
        if (reader.Problem is { } problem && problem.Position <= proven)
        {
            throw new StoreDamagedException(EventFiles.PathOf(problem.Position), problem.Position,
                $"{refusal}: {EventFiles.PathOf(problem.Position)} {problem.What}, although all events up to position {proven} had been committed. "
                    + "Nothing was changed. "
                + $"Repair the event files first: {StoreCheck.InWords} names the remedy of each.");
        }
        return last;
    }

    /// <summary>
    /// Deletes what failed appends and interrupted repairs have left beside the event files, and runs of a replaced index and an index file with
    /// other tag rules, also those that are being written.
    /// </summary>
    /// <exception cref="FileSystemException">A file that may have what the events no longer have could not be deleted.</exception>
    public void DeleteLeftovers()
    {
        EventFiles.Listing.DeleteLeftovers(held);
        FileSystem.Delete(Layout.IndexFileStaging);
        // Last, because it flushes the folder.
        Index.Runs.DeleteAllExcept(Index.Contents.Runs);
    }

    /// <summary>Rebuilds the index and reports it.</summary>
    /// <exception cref="StoreDamagedException">A committed event file is missing or bad; the index is kept.</exception>
    public RepairReport RebuildIndex()
    {
        ReadWhole("The index was not rebuilt");
        ReplaceIndex();
        return Report(Remedy.RebuildIndex, RepairOutcome.IndexRebuilt);
    }

    /// <summary>Rebuilds the index from event files that are known to be whole.</summary>
    public void ReplaceIndex()
    {
        // Order matters: after the events were changed, or a replica would compare them too early, and keep the old
        // ones. While the old index is there, a repair that was interrupted is run again.
        ChangeRevision();
        Index.Reset(held, rules);
        HasIndex = hasSegments = true;
        recovery.Run(held);
        // Without the flush, a power cut could bring back the old index files. They predate the repair, but may pass the quick test at opening.
        Index.Flush();
    }

    /// <summary>Rebuilds the index if the event files allow it; otherwise returns the reason.</summary>
    public StoreDamagedException? TryRebuildIndex()
    {
        try
        {
            ReadWhole("The index was not rebuilt");
            ReplaceIndex();
            return null;
        }
        catch (StoreDamagedException damage)
        {
            return damage;
        }
    }

    /// <summary>Brings the index up to the end of the event files, or returns the reason why that is not possible.</summary>
    public StoreDamagedException? TryRecover()
    {
        // Loaded before a folder was unsealed, the index would leave out the lines of its events.
        if (unsealed.Count > 0)
            hasSegments = Index.TryLoad();
        if (!hasSegments || !judgement.IsSound())
            return TryRebuildIndex();
        try
        {
            recovery.Run(held);
            return null;
        }
        catch (StoreDamagedException damage)
        {
            return damage;
        }
    }

    /// <summary>The error for an event file that cannot be read: it may be intact, so it must not be replaced.</summary>
    public StoreMaintenanceException OutOfReach(long position, EventFileReading reading) => new(EventFiles.PathOf(position),
        $"Nothing was changed: {EventFiles.PathOf(position)} {reading.Problem} Give this process the right to read it, or end the program that "
            + "holds it, and run the repair again.");

    public RepairReport Report(Remedy remedy, RepairOutcome outcome, IReadOnlyList<long>? restored = null, StoreDamagedException? damage = null) =>
        Report(remedy, outcome, restored ?? [], damage is null ? [] : [damage.Position], damage?.Message);

    public RepairReport Report(Remedy remedy, RepairOutcome outcome, IReadOnlyList<long> restored, IReadOnlyList<long> remaining,
        string? problem) =>
        new()
        {
            Remedy = remedy,
            Outcome = outcome,
            Head = HasIndex ? Index.Head : 0,
            Restored = restored,
            SetAside = [.. quarantine.Taken.Distinct().Order()],
            QuarantineFolder = quarantine.Folder,
            Remaining = remaining,
            Problem = problem,
        };

    public void Dispose()
    {
        held.Dispose();
        runs.Dispose();
        Index.Dispose();
        EventFiles.Dispose();
        filesDuty?.Dispose();
        sealingDuty.Dispose();
        storeLock.Dispose();
    }

    // Null: it cannot be read as a file.
    private byte[]? TryReadBytes(long position)
    {
        try
        {
            return EventFiles.ReadBytes(position);
        }
        catch (FileSystemException)
        {
            return null;
        }
    }

    private bool IsWhole(long shard) => EventFiles.Batches.ReadRange(StoreLayout.FirstOf(shard), Layout.LastOf(shard), EventFiles.ReadOrProblem)
        .All(static each => each.Reading.Stored is not null);

    private void ChangeRevision() => StoreFile.Read(FileSystem, Layout)?.WithNewRevision().Replace(FileSystem, Layout);

    private void Begin()
    {
        FileSystem.CreateFolderDurably(Layout.Events);
        hasSegments = Index.TryLoad();
        HasIndex = Index.FileInUse is not null;
        // Before an event is changed: a file that is no rule ends the repair.
        rules = Index.FindRules();
        files.SettleLog(held, isRepair: true);
        // Order matters: before an event is cut off or redacted, or after a power cut its line could count again: the
        // process that noted that none does may not have flushed the note.
        held.MakeNoteDurable();
    }
}
