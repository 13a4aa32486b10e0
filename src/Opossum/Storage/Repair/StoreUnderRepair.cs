using Microsoft.Extensions.Logging.Abstractions;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Repair;

/// <summary>A store while it is repaired: its parts, and its lock, which is held until it is disposed.</summary>
internal sealed class StoreUnderRepair : IDisposable
{
    private const int ReportedEvents = 1_000;

    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    private readonly StoreLock storeLock;
    private readonly Recovery recovery;
    private readonly Quarantine quarantine;
    private readonly IndexJudgement judgement;
    private readonly IProgress<StoreProgress>? progress;
    private StoreLock.Held held;

    private StoreUnderRepair(StoreFolder folder, StoreLock storeLock, StoreSettings settings)
    {
        FileSystem = folder.FileSystem;
        this.storeLock = storeLock;
        Layout = folder.Layout;
        EventFiles = new EventFiles(folder);
        Index = new EventIndex(folder, settings.TimeProvider);
        quarantine = new Quarantine(folder, settings.TimeProvider);
        recovery = new Recovery(folder, Index, EventFiles, quarantine, settings, NullLogger.Instance);
        judgement = new IndexJudgement(Index, EventFiles);
        progress = settings.RebuildProgress;
    }

    public IFileSystem FileSystem { get; }

    public StoreLayout Layout { get; }

    public EventFiles EventFiles { get; }

    public EventIndex Index { get; }

    /// <summary>Whether the index files were there and of this store. Whether they are of its event files is another question.</summary>
    public bool HasIndex { get; private set; }

    /// <exception cref="StoreOpenException">The folder is no store that can be repaired.</exception>
    /// <exception cref="StoreLockTimeoutException">The lock was not free.</exception>
    public static StoreUnderRepair Open(IFileSystem fileSystem, string root, TimeProvider clock, IProgress<StoreProgress>? progress)
    {
        if (fileSystem.GetKind(root) != EntryKind.Folder)
            throw new StoreOpenException(root, $"{root} is not a folder, so it is no store.");
        var folder = new StoreFolder(fileSystem, root);
        var storeFile = folder.Layout.StoreFile;
        if (folder.Read() is null)
            throw new StoreOpenException(storeFile, $"{storeFile} is missing, and by it the index is known to be this store's. Put it back from a backup, or open the store, which writes it again. Nothing was changed.");
        if (folder.Volume.LockRefusal is { } refusal)
            throw new StoreOpenException(root, $"The store in {root} cannot be repaired safely. {refusal}");
        var settings = new StoreSettings(Create: false, Flush: true, lockTimeout, RecoveryPatience: new OpossumOptions().RecoveryPatience, clock, progress);
        var storeLock = new StoreLock(folder, clock);
        StoreUnderRepair? store = null;
        try
        {
            storeLock.Verify();
            store = new StoreUnderRepair(folder, storeLock, settings) { held = storeLock.Acquire(lockTimeout) };
            store.Begin();
            return store;
        }
        catch
        {
            store?.Dispose();
            storeLock.Dispose();
            throw;
        }
    }

    /// <summary>Says how many of the events have been looked at that have to be, now and then and at the end.</summary>
    public void ReportProgress(long done, long total)
    {
        if (done == total || done % ReportedEvents == 0)
            progress?.Report(new StoreProgress(StoreWork.Repair, done, total));
    }

    /// <summary>The positions of all event files.</summary>
    public List<long> List() => EventFiles.ListBehind(0);

    /// <summary>The event of a position as its packed copy in the index has it; null when there is none that is intact.</summary>
    public StoredEvent? ReadCopy(long position) =>
        HasIndex && position <= Index.Head ? PackedEvents.ReadStored(Index.ReadPacked(position), position, Index.Contents) : null;

    /// <summary>The checksum of a position's event file, as its packed copy in the index states it; null when there is none that is intact.</summary>
    public uint? ReadCopyChecksum(long position) =>
        HasIndex && position <= Index.Head ? PackedEvents.FileChecksum(Index.ReadPacked(position), position) : null;

    /// <summary>A position's event file as its packed copy in the index gives it, byte for byte; null when there is no copy that does.</summary>
    public byte[]? ReadCopyText(long position) => ReadCopy(position) is { } copy ? EventFile.TextOfCopy(copy) : null;

    /// <summary>Moves the event files of ascending positions into this repair's folder in Quarantine.</summary>
    /// <param name="positions">The positions.</param>
    /// <param name="ending">What their names end with there, behind their own.</param>
    public void SetAside(List<long> positions, string ending = "")
    {
        if (positions.Count == 0)
            return;
        // Order matters: not every file system moves a file from folder to folder at one stroke. So a durable copy of each is there before, in whose place it goes.
        quarantine.Keep(positions.FindAll(position => TryReadBytes(position) is not null), position => TryReadBytes(position)!, QuarantineFolder, ending);
        held.ThrowIfLost();
        quarantine.MoveIn(positions, QuarantineFolder, held, ending);
    }

    /// <summary>Writes event files as the index has them into this repair's folder in Quarantine.</summary>
    public void KeepCopies(List<long> positions)
    {
        if (positions.Count > 0)
            quarantine.Keep(positions, position => ReadCopyText(position)!, QuarantineFolder);
    }

    /// <inheritdoc cref="EventFileMending.Create"/>
    public void CreateEventFiles(List<long> positions, Func<long, byte[]> read) => EventFiles.Mending.Create(positions, read, held);

    /// <inheritdoc cref="EventFileMending.Replace"/>
    public void ReplaceEventFile(long position, ReadOnlySpan<byte> text) => EventFiles.Mending.Replace(position, text, held);

    /// <summary>Builds the index anew, and says so.</summary>
    /// <exception cref="StoreDamagedException">An event file that was committed is missing or bad; the index stays.</exception>
    public StoreRepairReport RebuildIndex()
    {
        ThrowIfNotRebuildable();
        MakeIndexAnew();
        return Report(StoreRemedy.RebuildIndex, StoreRepairOutcome.IndexRebuilt);
    }

    /// <summary>Builds the index anew of event files that are known to be whole.</summary>
    public void MakeIndexAnew()
    {
        Index.Reset(held);
        HasIndex = true;
        recovery.Run(held);
        // A power cut could bring the old files back, which know nothing of what was repaired and yet may fit at first sight.
        Index.Flush();
    }

    /// <summary>Builds the index anew, if the event files give it; returns what is in the way.</summary>
    public StoreDamagedException? TryRebuildIndex()
    {
        try
        {
            ThrowIfNotRebuildable();
            MakeIndexAnew();
            return null;
        }
        catch (StoreDamagedException damage)
        {
            return damage;
        }
    }

    /// <summary>Brings the index up to the end of the event files; returns what is in the way.</summary>
    public StoreDamagedException? TryRecover()
    {
        if (!HasIndex || !judgement.IsSound())
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

    /// <summary>The error for an event file of which nothing is known: it may be whole, and is not to be replaced.</summary>
    public StoreRepairException OutOfReach(long position, EventFileReading reading) => new(EventFiles.PathOf(position),
        $"Nothing was changed: {EventFiles.PathOf(position)} {reading.Problem} Give this process the right to read it, or end the program that holds it, and run the repair again.");

    public StoreRepairReport Report(StoreRemedy remedy, StoreRepairOutcome outcome) => Report(remedy, outcome, [], [], null);

    public StoreRepairReport Report(StoreRemedy remedy, StoreRepairOutcome outcome, IReadOnlyList<long> restored, StoreDamagedException? damage) =>
        Report(remedy, outcome, restored, damage is null ? [] : [damage.Position], damage?.Message);

    public StoreRepairReport Report(StoreRemedy remedy, StoreRepairOutcome outcome, IReadOnlyList<long> restored, IReadOnlyList<long> remaining, string? problem) =>
        new(remedy, outcome, HasIndex ? Index.Head : 0, restored, [.. quarantine.Taken.Distinct().Order()], quarantine.Folder, remaining, problem);

    public void Dispose()
    {
        held.Dispose();
        Index.Dispose();
        storeLock.Dispose();
    }

    // Null: what has that name cannot be read as a file.
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

    private string QuarantineFolder => quarantine.Folder ?? quarantine.CreateFolder();

    private void Begin()
    {
        if (FileSystem.GetKind(Layout.Events) == EntryKind.Missing)
            FileSystem.CreateFolder(Layout.Events);
        HasIndex = Index.TryLoad();
    }

    // An index that is deleted takes with it the last copies of events whose files are gone. So all files are looked at first.
    private void ThrowIfNotRebuildable()
    {
        var listed = List();
        var proven = EventFiles.ProvenDurable(listed);
        if (HasIndex && judgement.IsOfTheseEvents(held.DurableUpTo ?? Index.Head, out _))
            proven = Math.Max(proven, Index.Head);
        var reader = new CommitReader(EventFiles, 0, listed.Count > 0 ? listed[^1] : 0);
        var done = 0L;
        foreach (var _ in reader.ReadWhole().SelectMany(static whole => whole))
            ReportProgress(++done, listed.Count);
        if (reader.Problem is { } problem && problem.Position <= proven)
        {
            throw new StoreDamagedException(EventFiles.PathOf(problem.Position), problem.Position,
                $"The index was not built anew: {EventFiles.PathOf(problem.Position)} {problem.What}, although all up to position {proven} had been committed. Nothing was changed. "
                + $"Repair the event files first: {nameof(StoreCheck)} names the remedy of each.");
        }
    }
}
