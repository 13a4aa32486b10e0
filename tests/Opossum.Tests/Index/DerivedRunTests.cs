using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Index;

/// <summary>A rebuild of the index makes runs as it goes: memory would otherwise have to hold the index of all events.</summary>
public sealed class DerivedRunTests : IDisposable
{
    private static readonly RunSettings small = new() { Length = 4, Fan = 2, LengthMax = 16, InBackground = false };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, shardPositions: 20);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Rebuild_holds_only_the_newest_events_in_memory()
    {
        place.Runs = small;
        var store = place.Open();
        for (var events = 1; events <= 200; events++)
            await store.AppendAsync([New("a", $"k:{events % 3}")]);
        place.CloseStores();
        place.Delete(place.Layout.IndexFile);
        var inMemory = new List<long>();
        var progress = new Observer(each => inMemory.Add(each.Done - Runs().Select(LastOf).DefaultIfEmpty().Max()));

        store = place.Open(options => options.Advanced.RebuildProgress = progress);

        Assert.True(inMemory.Count > 2);
        Assert.All(inMemory, static count => Assert.InRange(count, 0, 7));
        Assert.InRange((await store.GetStatusAsync()).Index.EventsReplayed, 4, 7);

        // Again, under the open store.
        inMemory.Clear();
        place.Delete(place.Layout.IndexFile);
        await store.AppendAsync([New("a", "k:0")]);

        Assert.True(inMemory.Count > 2);
        Assert.All(inMemory, static count => Assert.InRange(count, 0, 7));
        Assert.Equal([3, 6, 9], (await store.PositionsAsync(Tagged("k:0")))[..3]);
        Assert.Equal(67, (await store.PositionsAsync(Tagged("k:0"))).Count);
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Repair_that_rebuilds_the_index_makes_its_runs()
    {
        using var large = StorePlace.On(VolumeKind.Ext4, shardPositions: StoreLayout.ShardPositionsDefault);
        large.Runs = new RunSettings { InBackground = false };
        var store = large.Open(options => options.FlushEventsImmediately = false);
        for (var appends = 1; appends <= 9; appends++)
            await store.AppendAsync(Many(1_000, "a"));
        large.CloseStores();

        large.Repair(Remedies.RebuildIndex);

        Assert.Equal(4_000, (await large.Open().GetStatusAsync()).Index.EventsReplayed);
    }

    private List<string> Runs() => place.Names(place.Layout.Index).FindAll(static name => name.EndsWith(".run", StringComparison.Ordinal));

    private static long LastOf(string run) => StoreLayout.TryParseRunName(run, out _, out var last) ? last : 0;

    private sealed class Observer(Action<StoreProgress> see) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => see(value);
    }
}
