using Opossum.Storage;

namespace Opossum.Tests.Index;

/// <summary>Runs on a real file system, where other stores have those open that are replaced and deleted.</summary>
public sealed class RunsInFolderTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolderOnDisk();

    [Fact]
    public async Task Runs_are_made_replaced_and_deleted_while_others_read_them()
    {
        place.Runs = new RunSettings { Length = 8, Fan = 2, LengthMax = 64, InBackground = false };
        var (store, other) = (place.Open(), place.Open());
        for (var round = 1; round <= 10; round++)
        {
            await store.AppendAsync(Events.Many(8, tags: $"round:{round}"));
            // The other one has the runs open that become one now.
            Assert.Equal(8 * round, (await other.PositionsAsync()).Count);
            store.MakeRuns();
            for (var each = 1; each <= round; each++)
                Assert.Equal(8, (await other.PositionsAsync(Events.Tagged($"round:{each}"))).Count);
        }
        place.CloseStores();
        var last = place.Open();
        last.MakeRuns();
        var index = (await last.GetStatusAsync()).Index;
        Assert.Equal(80, index.EventsInRuns + index.EventsReplayed);
        Assert.InRange(index.EventsReplayed, 8, 15);
        Assert.InRange(index.Runs, 1, 3);
        Assert.Equal(index.RunBytes, Directory.EnumerateFiles(place.Layout.Index, "*.run").Sum(static file => new FileInfo(file).Length));

        Assert.InRange(place.Names(place.Layout.Index).Count(static name => name.EndsWith(".run", StringComparison.Ordinal)), 1, 3);
        place.AssertClean();
    }

    public void Dispose() => place.Dispose();
}
