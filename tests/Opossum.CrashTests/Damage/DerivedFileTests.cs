using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Damage;

/// <summary>
/// What is derived from the events is not flushed, so a power cut may leave any length of it: whatever is left of one
/// file, the store opens, for writing and for reading only, with all events.
/// </summary>
public sealed class DerivedFileTests(ITestOutputHelper output)
{
    private const int FolderPositions = 8;
    private const int LengthsOfAKind = 64;

    private static readonly StoreLayout layout = new(SteppedStore.Root, FolderPositions);
    private static readonly RunSettings runSettings =
        new() { Length = 4, Fan = 2, LengthMax = 16, InBackground = false };

    [Fact]
    public void Every_length_of_a_derived_file_shows_all_events()
    {
        var groups = from isSealed in (bool[])[false, true]
                     from hasRuns in (bool[])[false, true]
                     from hasJournal in (bool[])[false, true]
                     let whole = new Lazy<Whole>(() => Fill(isSealed, hasRuns, hasJournal))
                     from ending in (string[])[layout.IndexFile, StoreLayout.SealedFileEnding, StoreLayout.RunFileEnding]
                     where hasRuns || ending != StoreLayout.RunFileEnding
                     // With a journal the segments have the only lines of the newest events.
                     where !hasJournal || ending != StoreLayout.SealedFileEnding
                     let every = ending == StoreLayout.RunFileEnding ? 4 : 1
                     select new CaseGroup<Case>(() => [.. LengthsOf(whole.Value, ending)], every)
                     {
                         KindOf = ending == StoreLayout.RunFileEnding ? LengthInRun : null,
                     };
        Cases.TryEach(groups, Try, output);
    }

    // Runs are some pages: the full set has every length around their ends, and one of each few in between.
    private static object LengthInRun(Case each) =>
        (each.Path, each.Length % RunPage.Length is <= 1 or RunPage.Length - 1 ? each.Length : -each.Length / LengthsOfAKind);

    private static IEnumerable<Case> LengthsOf(Whole whole, string ending) =>
        from file in whole.Files
        where file.Path.EndsWith(ending, StringComparison.Ordinal)
        from length in Enumerable.Range(-1, file.Length + 1)
        select new Case(whole, file.Path, length);

    private static Whole Fill(bool isSealed, bool hasRuns, bool hasJournal)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()) { ShardPositions = FolderPositions };
        var history = new History();
        var filled = SteppedStore.Open(disk.Attach());
        for (var count = 1; filled.Head < 3 * FolderPositions; count++)
            filled.Append(history.New(count % 3 + 1), history.New());
        filled.Close();
        using var fileSystem = disk.Attach();
        if (isSealed)
            StoreSealing.Seal(fileSystem, layout, 1, disk.Clock);
        var store = SteppedStore.Open(disk.Attach(), useJournal: hasJournal, runs: hasRuns ? runSettings : null);
        store.MakeRuns();
        store.Append(history.New(3));
        store.Append(history.New(), history.New(2));
        var files =
            from folder in (string[])[layout.Index, layout.Log]
            from name in fileSystem.List(folder)
            let path = FilePath.Join(folder, name)
            select (path, LengthOf(fileSystem, path));
        return new Whole($"sealed: {isSealed}, runs: {hasRuns}, journal: {hasJournal}", disk, history,
            store.ReadAll().ConvertAll(static e => e.Id), [.. files]);
    }

    private static int Try(Case each)
    {
        var disk = each.Store.Disk.Copy();
        var all = each.Store.Ids;
        Cut(disk.Attach(), each.Path, each.Length);
        var options = new OpossumOptions { ReadOnly = true, TimeProvider = disk.Clock };
        using (var reader = FileSystemEventStore.Open(options, disk.Attach(), layout))
            Assert.Equal(all, Promises.Read(reader, Query.All).Select(static e => e.Id));
        Assert.Equal(all, Promises.Check(disk, each.Store.History, deep: false).Take(all.Count));
        // What is wrong with a run is found when it is read.
        Assert.All(StoreCheck.Run(disk.Attach(), layout).Findings, finding => Assert.True(
            finding.Path == each.Path && each.Path.EndsWith(StoreLayout.RunFileEnding, StringComparison.Ordinal), $"{finding}"));
        return 2;
    }

    private static void Cut(SimulatedFileSystem fileSystem, string path, int length)
    {
        if (length < 0)
        {
            fileSystem.Delete(path);
            return;
        }
        using var file = fileSystem.Open(path, FileOpening.ReadWrite)!;
        file.SetLength(length);
        file.Flush();
    }

    private static int LengthOf(SimulatedFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read)!;
        return (int)file.GetLength();
    }

    private sealed record Whole(string Name, SimulatedDisk Disk, History History, List<Guid> Ids,
        List<(string Path, int Length)> Files);

    /// <summary>A length of -1: the file is missing.</summary>
    private sealed record Case(Whole Store, string Path, int Length)
    {
        public override string ToString() => $"{Store.Name}: {Path}, {Length} bytes";
    }
}
