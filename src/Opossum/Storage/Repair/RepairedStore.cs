using Microsoft.Extensions.Logging.Abstractions;
using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>A store while it is repaired: its parts, and its lock, which is held until it is disposed.</summary>
internal sealed class RepairedStore : IDisposable
{
    private static readonly TimeSpan LockTimeout = TimeSpan.FromSeconds(10);

    private readonly StoreLock storeLock;
    private readonly Recovery recovery;
    private readonly Quarantine quarantine;
    private readonly IndexJudgement judgement;
    private StoreLock.Held held;

    private RepairedStore(IFileSystem fileSystem, StoreLayout layout, Volume volume, StoreFile storeFile, StoreLock storeLock, StoreSettings settings)
    {
        FileSystem = fileSystem;
        this.storeLock = storeLock;
        Layout = layout;
        EventFiles = new EventFiles(fileSystem, layout, volume) { TakesUnknown = storeFile.IsOfNewerMinor };
        Index = new EventIndex(fileSystem, layout, volume, storeFile.Id, settings.TimeProvider);
        quarantine = new Quarantine(fileSystem, layout, settings.TimeProvider);
        recovery = new Recovery(fileSystem, layout, volume, Index, EventFiles, quarantine, settings, NullLogger.Instance);
        judgement = new IndexJudgement(Index, EventFiles, layout);
    }

    public IFileSystem FileSystem { get; }

    public StoreLayout Layout { get; }

    public EventFiles EventFiles { get; }

    public EventIndex Index { get; }

    /// <summary>Whether the index files were there and of this store. Whether they are of its event files is another question.</summary>
    public bool HasIndex { get; private set; }

    /// <exception cref="StoreOpenException">The folder is no store that can be repaired.</exception>
    /// <exception cref="StoreLockTimeoutException">The lock was not free.</exception>
    public static RepairedStore Open(IFileSystem fileSystem, string root, TimeProvider clock, IProgress<IndexRebuildProgress>? progress)
    {
        var layout = new StoreLayout(root);
        if (fileSystem.GetKind(root) != EntryKind.Folder)
            throw new StoreOpenException(root, $"{root} is not a folder, so it is no store.");
        StoreFolders.ThrowIfLinked(fileSystem, layout);
        var storeFile = StoreFile.Read(fileSystem, layout)
            ?? throw new StoreOpenException(layout.StoreFile, $"{layout.StoreFile} is missing, and by it the index is known to be this store's. Put it back from a backup, or open the store, which writes it again. Nothing was changed.");
        var volume = fileSystem.GetVolume(root);
        if (volume.LockRefusal is { } refusal)
            throw new StoreOpenException(root, $"The store in {root} cannot be repaired safely. {refusal}");
        var settings = new StoreSettings(Create: false, Flush: true, LockTimeout, RecoveryPatience: new OpossumOptions().RecoveryPatience, clock, progress);
        var storeLock = new StoreLock(fileSystem, layout.LockFile, volume, clock);
        RepairedStore? store = null;
        try
        {
            storeLock.Verify();
            store = new RepairedStore(fileSystem, layout, volume, storeFile, storeLock, settings) { held = storeLock.Acquire(LockTimeout) };
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
        quarantine.TakeIn(positions, QuarantineFolder, ending);
    }

    /// <summary>Writes event files as the index has them into this repair's folder in Quarantine.</summary>
    public void KeepCopies(List<long> positions)
    {
        if (positions.Count > 0)
            quarantine.Keep(positions, position => ReadCopyText(position)!, QuarantineFolder);
    }

    /// <summary>Creates the event files of ascending positions, whose names are free, and makes them durable.</summary>
    public void CreateEventFiles(List<long> positions, Func<long, byte[]> read)
    {
        var shards = positions.Select(StoreLayout.ShardOf).Distinct().ToList();
        shards.ForEach(shard => FileSystem.CreateFolder(Layout.ShardFolder(shard)));
        FileSystem.FlushFolder(Layout.Events);
        // Order matters: what a crash leaves of them at the end of the store is then an append without its end, and recognised.
        foreach (var position in positions)
            CreateFile(Layout.EventFile(position), read(position));
        FileSystem.ForEach(positions.Count, at => FlushFile(Layout.EventFile(positions[at])));
        shards.ForEach(shard => FileSystem.FlushFolder(Layout.ShardFolder(shard)));
    }

    /// <summary>Puts a file in the place of a position's event file, durably and at one stroke.</summary>
    public void ReplaceEventFile(long position, ReadOnlySpan<byte> text)
    {
        var staged = Layout.EventFileStaging(position);
        FileSystem.Delete(staged);
        CreateFile(staged, text);
        FlushFile(staged);
        held.ThrowIfLost();
        FileSystem.Move(staged, Layout.EventFile(position));
        // On a share it is a flush of the file that makes its name durable, elsewhere the folder's.
        FlushFile(Layout.EventFile(position));
        FileSystem.FlushFolder(Layout.ShardFolder(StoreLayout.ShardOf(position)));
    }

    /// <summary>Builds the index anew, and says so.</summary>
    /// <exception cref="StoreDamagedException">An event file that was committed is missing or bad; the index stays.</exception>
    public StoreRepairReport RebuildIndex()
    {
        ThrowIfNotRebuildable();
        MakeIndexAnew();
        return Report($"The index was built anew from {Index.Head} events.", []);
    }

    /// <summary>Builds the index anew of event files that are known to be whole.</summary>
    public void MakeIndexAnew()
    {
        Index.Create();
        HasIndex = true;
        recovery.Run(held);
        // A power cut could bring the old files back, which know nothing of what was repaired and yet may fit at first sight.
        Index.Flush();
    }

    /// <summary>Builds the index anew, if the event files give it; returns what is in the way, in words.</summary>
    public string? TryRebuildIndex()
    {
        try
        {
            ThrowIfNotRebuildable();
            MakeIndexAnew();
            return null;
        }
        catch (StoreDamagedException damage)
        {
            return damage.Message;
        }
    }

    /// <summary>Takes into the index what is behind its end; returns what is in the way, in words.</summary>
    public string? TryTakeIn()
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
            return damage.Message;
        }
    }

    /// <summary>The error for an event file of which nothing is known: it may be whole, and is not to be replaced.</summary>
    public StoreRepairException OutOfReach(long position, EventFileReading reading) => new(Layout.EventFile(position),
        $"Nothing was changed: {Layout.EventFile(position)} {reading.Problem} Give this process the right to read it, or end the program that holds it, and run the repair again.");

    public StoreRepairReport Report(string done, IReadOnlyList<long> restored, string? remaining = null)
    {
        var setAside = quarantine.Taken.Distinct().Order().ToList();
        var where = setAside.Count > 0 ? $" In {quarantine.Folder} lies what was set aside: positions {PositionList.InWords(setAside)}." : "";
        return new StoreRepairReport(done + where, HasIndex ? Index.Head : 0, restored, setAside, quarantine.Folder, remaining);
    }

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
            return EventFiles.ReadBytes(Layout.EventFile(position));
        }
        catch (FileSystemException)
        {
            return null;
        }
    }

    private void CreateFile(string path, ReadOnlySpan<byte> text)
    {
        using var file = FileSystem.CreateNew(path) ?? throw new FileSystemException(FileError.Other, "create", path, "a file of that name has just appeared.");
        file.Write(text, 0);
    }

    private void FlushFile(string path)
    {
        using var file = FileSystem.Open(path, FileOpening.ReadWrite);
        file?.Flush();
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
        foreach (var _ in reader.ReadWhole())
        {
            // Only whether it comes to its end counts.
        }
        if (reader.Problem is { } problem && problem.Position <= proven)
        {
            throw new StoreDamagedException(Layout.EventFile(problem.Position), problem.Position,
                $"The index was not built anew: {Layout.EventFile(problem.Position)} {problem.What}, although all up to position {proven} had been committed. Nothing was changed. "
                + $"Repair the event files first: {nameof(StoreCheck)} names the remedy of each.");
        }
    }
}
