using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Reactions;

/// <summary>An append that counts once: whoever makes it again, after whatever crash, gets the positions that it has.</summary>
public sealed class AppendOnceTests(ITestOutputHelper output)
{
    private static readonly Tag once = new("$once", "1");

    [Fact]
    public async Task Append_that_is_stored_is_not_stored_again()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync([NewEvent.FromJson("before", "{}")], cancellationToken: TestContext.Current.CancellationToken);
        var first = await AppendAsync(store, once);
        var again = await AppendAsync(store, once);
        var other = await AppendAsync(store, new Tag("$once", "2"));
        Assert.Equal(new AppendResult { FirstPosition = 2, LastPosition = 3 }, first);
        Assert.Equal(first, again);
        Assert.Equal(new AppendResult { FirstPosition = 4, LastPosition = 5 }, other);
        Assert.All((await store.ReadAllAsync()).Skip(1), e => Assert.Equal("$once", e.Tags[^1].Key));
    }

    [Fact]
    public async Task Stored_append_is_returned_although_its_condition_fails_by_now()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        var condition = new AppendCondition(Query.FromEventTypes("made"), After: 0);
        var first = await AppendAsync(store, once, condition);
        Assert.Equal(first, await AppendAsync(store, once, condition));
    }

    [Fact]
    public async Task Condition_of_the_caller_is_judged()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync([NewEvent.FromJson("paid", "{}")], cancellationToken: TestContext.Current.CancellationToken);
        var condition = new AppendCondition(Query.FromEventTypes("paid"));
        await Assert.ThrowsAsync<AppendConditionFailedException>(() => AppendAsync(store, once, condition));
        Assert.Equal(1, await store.GetHeadAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Many_callers_at_once_in_two_processes_store_it_once()
    {
        using var place = StorePlace.InFolder();
        FileSystemEventStore[] stores = [place.Open(), place.Open()];
        var results = await Task.WhenAll(Enumerable.Range(0, 40).Select(at => AppendAsync(stores[at % 2], once)));
        Assert.Equal([new AppendResult { FirstPosition = 1, LastPosition = 2 }], results.Distinct());
        Assert.Equal(2, (await stores[0].ReadAllAsync()).Count);
    }

    [Fact]
    public async Task Process_with_an_old_view_finds_the_append_of_another()
    {
        using var place = StorePlace.On(VolumeKind.Smb);
        var (stale, other) = (place.Open(), place.Open());
        await stale.AppendAsync([NewEvent.FromJson("before", "{}")], cancellationToken: TestContext.Current.CancellationToken);
        var made = await AppendAsync(other, once);
        Assert.Equal(made, await AppendAsync(stale, once));
        Assert.Equal(3, await stale.GetHeadAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Append_by_an_app_with_a_reserved_key_is_refused()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        var error = await Assert.ThrowsAsync<ArgumentException>(
            () => store.AppendAsync([NewEvent.FromJson("made", "{}", once)], cancellationToken: TestContext.Current.CancellationToken));
        Assert.Contains("events[0] is not allowed. Its tag \"$once\" begins with '$'", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, await store.GetHeadAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Copy_of_the_events_in_another_store_keeps_it_made()
    {
        using var place = StorePlace.InFolder();
        await AppendAsync(place.Open(), once);
        using var lines = new MemoryStream();
        await StoreExport.RunAsync(place.Root, lines, cancellationToken: TestContext.Current.CancellationToken);
        using var other = StorePlace.InFolder();
        await other.Open().AppendAsync([NewEvent.FromJson("before", "{}")], cancellationToken: TestContext.Current.CancellationToken);
        lines.Position = 0;
        await StoreImport.RunAsync(other.Root, lines, cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(new AppendResult { FirstPosition = 2, LastPosition = 3 }, await AppendAsync(other.Open(), once));
    }

    internal static CrashScenario Crash { get; } = new("an append that counts once", static kind =>
    {
        var start = DiskWithAStore(kind);
        return () =>
        {
            var disk = start.Copy();
            var store = Open(disk.Attach());
            var told = (AppendResult?)null;
            return CrashRun.Of(disk, () => told = Append(store), (left, _, _) => CheckOnce(left, told));
        };
    });

    [Fact]
    public void Power_cut_at_each_operation_leaves_it_for_the_next_to_make_once() =>
        Cases.TryEach(CrashCut.Groups([Crash], VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);

    [Fact]
    public void Kill_at_each_operation_leaves_it_for_the_next_to_make_once() =>
        Cases.TryEach(VolumeKinds.All.Select(static kind => new CaseGroup<Killed>(() => CasesOf(kind))), Kill, output, share: 0.25);

    private static List<Killed> CasesOf(VolumeKind kind)
    {
        var start = DiskWithAStore(kind);
        var disk = start.Copy();
        var store = Open(disk.Attach());
        disk.Trace = [];
        Append(store);
        return [.. Cut.AfterEach(disk.Trace).Select(cut => new Killed(kind, start, cut))];
    }

    private static int Kill(Killed each)
    {
        var disk = each.Start.Copy();
        var client = disk.Attach();
        var store = Open(client);
        client.KillAfter(each.Cut.Operation);
        var told = (AppendResult?)null;
        Attempt.UntilTheEnd(() => told = Append(store));
        CheckOnce(disk, told);
        return 1;
    }

    private static void CheckOnce(SimulatedDisk disk, AppendResult? told)
    {
        var store = Open(disk.Attach());
        var made = Append(store);
        Assert.Equal(told ?? made, made);
        Assert.Equal(made, Append(store));
        var events = store.ReadAllAsync().GetAwaiter().GetResult().FindAll(e => e.Tags.Contains(once));
        Assert.Equal([made.FirstPosition, made.LastPosition], events.Select(e => e.Position));
    }

    private static SimulatedDisk DiskWithAStore(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        var store = Open(disk.Attach());
        store.AppendAsync([NewEvent.FromJson("before", "{}")]).GetAwaiter().GetResult();
        store.Dispose();
        return disk.Copy();
    }

    private static FileSystemEventStore Open(SimulatedFileSystem client) =>
        FileSystemEventStore.Open(new OpossumOptions { TimeProvider = client.Disk.Clock }, client, "/store");

    private static AppendResult Append(FileSystemEventStore store) => AppendAsync(store, once).GetAwaiter().GetResult();

    private static Task<AppendResult> AppendAsync(FileSystemEventStore store, Tag tag, AppendCondition? condition = null) =>
        store.AppendAsync([NewEvent.FromJson("made", "{}", new Tag("order", "o1")), NewEvent.FromJson("made", "{}")], condition, tag,
            CancellationToken.None);

    private sealed record Killed(VolumeKind Kind, SimulatedDisk Start, Cut Cut)
    {
        public override string ToString() => $"{Kind}, killed instead of {Cut}";
    }
}
