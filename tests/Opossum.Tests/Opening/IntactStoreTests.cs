using Opossum.Testing.Simulated;

namespace Opossum.Tests.Opening;

/// <summary>What the opening of a store does to the disk where nothing is to be mended.</summary>
public sealed class IntactStoreTests
{
    public static MatrixTheoryData<string, bool, int> Stores => new(Enum.GetNames<VolumeKind>(), [false, true], [1, 3, 4, 9]);

    [Theory]
    [MemberData(nameof(Stores))]
    public async Task An_opening_and_a_read_by_tag_write_nothing_and_list_each_folder_once(string volume, bool useJournal, int events)
    {
        var kind = Enum.Parse<VolumeKind>(volume);
        using var place = StorePlace.On(kind, shardPositions: 4);
        useJournal &= !SimulatedVolume.Of(kind).IsNetwork;
        var store = place.Open(options => options.UseJournal = useJournal);
        for (var number = 1; number <= events; number++)
            await store.AppendAsync(Events.New("a", tags: "tag:x"));
        place.CloseStores();
        var disk = place.Disk!;
        disk.Trace = [];
        using (var opened = place.Open(options => options.UseJournal = useJournal))
            Assert.Equal(events, await opened.ReadAsync(Query.FromTags(Tag.Parse("tag:x"))).CountAsync());
        var trace = disk.Trace;
        disk.Trace = null;
        TestContext.Current.TestOutputHelper?.WriteLine(string.Join("\n", trace));
        Assert.DoesNotContain(trace,
            static each => each.Changes && each.Kind is not OperationKind.Lock and not OperationKind.Unlock and not OperationKind.OpenOrCreate);
        Assert.Distinct(trace.Where(static each => each.Kind == OperationKind.List).Select(static each => each.Path));
    }
}
