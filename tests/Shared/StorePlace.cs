using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Personal;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Repair;
using Opossum.Testing.Simulated;

namespace Opossum.Tests;

/// <summary>Where the stores of a test lie: a temporary folder or a simulated disk. Closes them, and leaves nothing behind.</summary>
internal sealed class StorePlace : IDisposable
{
    private static readonly int[] shardPositions = [4, 7, 20, StoreLayout.ShardPositionsDefault];

    private readonly List<FileSystemEventStore> stores = [];
    private readonly string? folder;
    private readonly IFileSystem files;

    private StorePlace(SimulatedDisk? disk, StoreLayout layout, string? folder)
    {
        Disk = disk;
        Layout = layout;
        this.folder = folder;
        files = Attach();
    }

    /// <summary>
    /// The number of positions in a folder of event files on the simulated disks of a run, drawn by the seed: mostly few, so that some events go into
    /// several folders.
    /// </summary>
    private static int ShardPositions => shardPositions[Seed.Value % shardPositions.Length];

    public string Root => Layout.Root;

    public StoreLayout Layout { get; }

    /// <summary>The simulated disk; null in a temporary folder.</summary>
    public SimulatedDisk? Disk { get; }

    public TimeProvider Clock => Disk?.Clock ?? TimeProvider.System;

    public static StorePlace InFolder(int shardPositions = StoreLayout.ShardPositionsDefault) =>
        In(Directory.CreateTempSubdirectory("opossum-").FullName, shardPositions);

    /// <summary>The same where the disk itself is tested.</summary>
    public static StorePlace InFolderOnDisk() => In(TestFolders.CreateOnDisk());

    /// <summary>On a simulated disk, by default one whose clock stands still until somebody waits.</summary>
    public static StorePlace On(VolumeKind kind, TimeProvider? clock = null, int? shardPositions = null)
    {
        var disk = new SimulatedDisk(kind, clock ?? new SimulatedClock()) { ShardPositions = shardPositions ?? ShardPositions };
        TestContext.Current.TestOutputHelper?.WriteLine($"{Seed.Assignment}: {disk.ShardPositions} positions in a folder");
        return On(disk);
    }

    public static StorePlace On(SimulatedDisk disk) => new(disk, disk.LayoutOf("/store"), null);

    private static StorePlace In(string folder, int shardPositions = StoreLayout.ShardPositionsDefault) =>
        new(null, new StoreLayout(Path.Combine(folder, "store"), shardPositions), folder);

    /// <summary>The file system as another process sees it.</summary>
    public IFileSystem Attach() => Disk?.Attach() ?? RealFileSystem.Create();

    public List<string> Names(string path) => files.List(path);

    /// <summary>How the stores make runs of their index. Null: as always.</summary>
    public RunSettings? Runs { get; set; }

    /// <summary>The sizes of the stores' journals: small, so that files grow and are shortened.</summary>
    public FilesBehindSettings FilesBehind { get; set; } = new() { FilledAhead = 8 * 1024 };

    /// <summary>How many keys of persons the stores keep in memory.</summary>
    public int KeysKeptMax { get; set; } = KeyRing.KeptMaxDefault;

    public OpossumOptions Options() => new() { Path = Root, TimeProvider = Clock };

    public FileSystemEventStore Open(Action<OpossumOptions>? configure = null) => Open(Attach(), configure);

    public FileSystemEventStore Open(IFileSystem fileSystem, Action<OpossumOptions>? configure = null)
    {
        var options = Options();
        configure?.Invoke(options);
        var store = FileSystemEventStore.Open(options, fileSystem, Layout, runs: Runs, filesBehind: FilesBehind, keysKeptMax: KeysKeptMax);
        stores.Add(store);
        return store;
    }

    public void CloseStores()
    {
        foreach (var store in stores)
            store.Dispose();
        stores.Clear();
    }

    public StoreCheckReport Check() => Check(progress: null);

    public StoreCheckReport Check(IProgress<StoreProgress>? progress)
    {
        using var fileSystem = Attach();
        return StoreCheck.Run(fileSystem, Layout, progress);
    }

    public T Repair<T>(Func<StoreUnderRepair, T> repair, IProgress<StoreProgress>? progress = null) =>
        Repair(Attach(), repair, progress);

    public T Repair<T>(IFileSystem fileSystem, Func<StoreUnderRepair, T> repair,
        IProgress<StoreProgress>? progress = null)
    {
        using (fileSystem)
            return StoreRepair.Run(fileSystem, Layout, Clock, progress, repair);
    }

    /// <summary>Seals all full folders but a number of the newest.</summary>
    public SealingReport Seal(int keepNewest = 1, IProgress<StoreProgress>? progress = null)
    {
        using var fileSystem = Attach();
        return StoreSealing.Seal(fileSystem, Layout, keepNewest, Clock, progress);
    }

    /// <summary>Unseals the folders that have one of the positions; by default all.</summary>
    public SealingReport Unseal(long from = 1, long? upTo = null, IProgress<StoreProgress>? progress = null)
    {
        using var fileSystem = Attach();
        return StoreSealing.Unseal(fileSystem, Layout, from - 1, upTo, Clock, progress);
    }

    public void AssertClean() => Assert.Equal([], Check().Findings);

    /// <summary>Takes the store's lock as another process does.</summary>
    public StoreLock OtherLock() => new(new StoreFolder(files, Layout), Clock);

    public bool Exists(string path) => files.GetKind(path) != EntryKind.Missing;

    public byte[] Bytes(string path)
    {
        using var file = files.Open(path, FileOpening.Read) ?? throw new FileNotFoundException(path);
        var bytes = new byte[file.GetLength()];
        return bytes[..file.Read(bytes, 0)];
    }

    /// <summary>The event at a position, from its file or from the journal.</summary>
    public StoredEvent Event(long position)
    {
        var folder = new StoreFolder(files, Layout);
        folder.Read();
        return new EventFiles(folder).Read(position, out _) ?? throw new InvalidDataException($"position {position}");
    }

    /// <summary>Puts a file there, with the folders it needs.</summary>
    public void Put(string path, ReadOnlySpan<byte> bytes)
    {
        CreateFolder(Path.GetDirectoryName(path)!);
        files.Delete(path);
        using var file = files.CreateNew(path)!;
        file.Write(bytes, 0);
        file.Flush();
    }

    /// <summary>Writes into a file that is there.</summary>
    public void Patch(string path, long offset, ReadOnlySpan<byte> bytes)
    {
        using var file = files.Open(path, FileOpening.ReadWrite)!;
        file.Write(bytes, offset);
        file.Flush();
    }

    public void Delete(string path) => files.Delete(path);

    /// <summary>Damages the event at a position of the first segment.</summary>
    /// <returns>What undoes it.</returns>
    public Action Damage(int position)
    {
        var (segment, file) = (Layout.Segment(0), Layout.EventFile(position));
        var (lines, contents) = (Bytes(segment), Bytes(file));
        var at = Enumerable.Range(1, position).Aggregate(0, (from, _) => from + lines.AsSpan(from).IndexOf("\"type\""u8) + 1) - 1;
        Patch(segment, at, new byte[4]);
        Delete(file);
        return () =>
        {
            // First what is mended at once: a read meanwhile must not meet a file that is half written.
            Patch(segment, at, lines.AsSpan(at, 4));
            Put(file, contents);
        };
    }

    public void CreateFolder(string path)
    {
        if (files.GetKind(path) == EntryKind.Folder)
            return;
        CreateFolder(Path.GetDirectoryName(path)!);
        files.CreateFolder(path);
    }

    /// <summary>Every file below a folder, by its path, and every folder, with no bytes.</summary>
    public SortedDictionary<string, byte[]?> Snapshot(string? below = null)
    {
        Disk?.SendHeldBack();
        for (var attempt = 0; ; attempt++)
        {
            try
            {
                var found = new SortedDictionary<string, byte[]?>(StringComparer.Ordinal);
                if (Exists(below ?? Root))
                    Add(below ?? Root, found);
                return found;
            }
            catch (Exception e) when (attempt < 1_000 && (e is FileNotFoundException or FileSystemException { Error: FileError.NotFound }))
            {
                // A process that has the store open moved or deleted what had just been listed.
            }
        }
    }

    /// <summary>Makes everything below a folder what it was.</summary>
    public void Restore(SortedDictionary<string, byte[]?> snapshot, string? below = null)
    {
        foreach (var (path, bytes) in Snapshot(below))
        {
            if (bytes is not null)
                files.Delete(path);
        }
        foreach (var (path, bytes) in snapshot)
        {
            if (bytes is not null)
                Put(path, bytes);
        }
    }

    public void Dispose()
    {
        CloseStores();
        files.Dispose();
        if (folder is not null)
            Directory.Delete(folder, recursive: true);
    }

    private void Add(string path, SortedDictionary<string, byte[]?> found)
    {
        if (files.GetKind(path) == EntryKind.File)
        {
            found.Add(path, Bytes(path));
            return;
        }
        found.Add(path, null);
        foreach (var name in files.List(path))
            Add(FilePath.Join(path, name), found);
    }
}
