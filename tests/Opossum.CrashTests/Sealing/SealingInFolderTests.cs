using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;

namespace Opossum.SealingTests;

/// <summary>Folders on a real file system are sealed under stores that are open.</summary>
public sealed class SealingInFolderTests : IAsyncLifetime
{
    private static readonly int length = SealedStores.Positions;
    private static readonly int events = 2 * length + 5;
    private static readonly int[] rare = [length / 3, length + length / 4, 2 * length + 1];

    private readonly StorePlace place = StorePlace.InFolder(length);

    private StoreLayout Layout => place.Layout;

    public async ValueTask InitializeAsync()
    {
        await using (var store = place.Open(static options => options.FlushEventsImmediately = false))
        {
            foreach (var numbers in Enumerable.Range(1, events).Chunk(7))
                await store.AppendAsync([.. numbers.Select(New)]);
        }
    }

    public ValueTask DisposeAsync()
    {
        place.Dispose();
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task Open_stores_read_and_append_while_folders_are_sealed_and_unsealed()
    {
        var text = await File.ReadAllBytesAsync(Layout.EventFile(length + 3));
        await using var store = place.Open();
        await using var reader = place.Open(static options => options.ReadOnly = true);
        await AssertReadsAsync(store, reader, events);

        var report = place.Seal();

        Assert.Equal((2, 2 * length - 1, 2), (report.Folders, report.Events, report.SealedFolders));
        Assert.False(Directory.Exists(Layout.ShardFolder(0)) || Directory.Exists(Layout.ShardFolder(length)));
        await store.AppendAsync([New(events + 1)]);
        await AssertReadsAsync(store, reader, events + 1);
        await using (var opened = place.Open())
            await AssertReadsAsync(opened, reader, events + 1);
        place.AssertClean();

        place.Unseal();

        Assert.Equal(text, await File.ReadAllBytesAsync(Layout.EventFile(length + 3)));
        await store.AppendAsync([New(events + 2)]);
        await AssertReadsAsync(store, reader, events + 2);
        place.AssertClean();
    }

    [Fact]
    public async Task A_check_goes_on_where_a_link_has_the_name_of_a_sealed_file()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "a user of Windows may not make links");
        place.Seal();
        var aside = Layout.SealedFile(0) + ".aside";
        File.Move(Layout.SealedFile(0), aside);
        File.CreateSymbolicLink(Layout.SealedFile(0), aside);

        var findings = place.Check().Findings;

        Assert.Contains(findings, each => each.Kind == FindingKind.ForeignFile && each.Path == Layout.SealedFile(0));
        Assert.Contains(findings, static each => each is { Kind: FindingKind.Gap, Position: 1 });
    }

    [Fact]
    public async Task A_check_does_not_call_a_sealing_interrupted_that_goes_on()
    {
        place.Seal();
        Directory.CreateDirectory(Layout.ShardFolder(0));
        await File.WriteAllTextAsync(Layout.EventFile(3), "");
        using var fileSystem = RealFileSystem.Create();
        using (StoreDuty.TryTake(new StoreFolder(fileSystem, Layout), Duty.Sealing))
            place.AssertClean();

        Assert.Equal(FindingKind.UnfinishedSealing, Assert.Single(place.Check().Findings).Kind);
    }

    [Fact]
    public async Task Segments_that_sealing_replaced_are_closed_while_the_store_is_open()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The open files of a process are listed on Linux.");
        await using var store = place.Open();
        for (var head = events; head < events + 6 * length; head += length)
        {
            await store.AppendAsync([.. Enumerable.Range(head + 1, length).Select(New)]);
            place.Seal();
            Assert.Equal(head + length, (await store.PositionsAsync()).Count);
        }

        GC.Collect();
        GC.WaitForPendingFinalizers();

        var open = Directory.GetFiles("/proc/self/fd").Select(static file => new FileInfo(file).LinkTarget);
        Assert.InRange(open.Count(target => target == $"{Layout.Segment(0)} (deleted)"), 0, 1);
    }

    [Fact]
    public void Progress_grows_to_the_end_although_two_folders_are_worked_on_at_a_time()
    {
        var progress = new Steps();

        place.Seal(progress: progress);
        progress.AssertGrew(StoreOperation.Seal, 2 * length);
        place.Unseal(progress: progress);
        progress.AssertGrew(StoreOperation.Unseal, 2 * length);
    }

    private static async Task AssertReadsAsync(FileSystemEventStore store, FileSystemEventStore reader, int count)
    {
        foreach (var each in (FileSystemEventStore[])[store, reader])
        {
            Assert.Equal(Enumerable.Range(1, count).Select(static position => (long)position), await each.PositionsAsync());
            Assert.Equal(rare.Select(static position => (long)position), await each.PositionsAsync(Query.FromTags(new Tag("rare", "yes"))));
            Assert.Equal(1, await Backwards(each, count));
        }
    }

    private static async Task<long> Backwards(FileSystemEventStore store, int count)
    {
        var expected = (long)count;
        await foreach (var e in store.ReadAsync(Query.All, new ReadOptions { Backwards = true }))
            Assert.Equal(expected--, e.Position);
        return expected + 1;
    }

    private static NewEvent New(int number) => NewEvent.FromJson("counted", $$$"""{"number":{{{number}}},"metadata":{"a":"b"}}""",
        rare.Contains(number) ? [new Tag("number", $"{number}"), new Tag("rare", "yes")] : [new Tag("number", $"{number}")]);

    private sealed class Steps : IProgress<StoreProgress>
    {
        private readonly List<StoreProgress> steps = [];

        public void Report(StoreProgress value) => steps.Add(value);

        public void AssertGrew(StoreOperation work, long total)
        {
            Assert.All(steps, each => Assert.Equal((work, total), (each.Operation, each.Total)));
            Assert.Equal(steps.Select(static each => each.Done).Order(), steps.Select(static each => each.Done));
            Assert.Equal(total, steps[^1].Done);
            steps.Clear();
        }
    }
}
