using Opossum.Storage;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>A store that was closed: its calls say so, open no file again, and change nothing.</summary>
public sealed class ClosedStoreTests
{
    [Fact]
    public async Task Calls_that_write_before_an_append_open_and_write_nothing()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var client = place.Disk!.Attach();
        var store = place.Open(client, static options => options.EventTypes.Add<Noted>());
        await store.DisposeAsync();
        var before = place.Snapshot();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => store.AppendAsync(new NewEvent(new Noted(1))));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => store.GetSchemasAsync());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => store.AddTagRuleAsync(new TagRule("noted", "number", "number")));

        Assert.Equal([], client.OpenFiles);
        Assert.Equal(before, place.Snapshot());
    }

    [Fact]
    public async Task Read_under_way_opens_no_further_segment()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 20);
        var writer = place.Open();
        await writer.AppendAsync([.. Many(19, "a", "k:1"), .. Many(41, "a")]);
        await writer.AppendAsync(Many(20, "b"));
        await writer.AppendAsync(Many(20, "c"));
        place.CloseStores();
        var client = place.Disk!.Attach();
        var store = place.Open(client);
        // The first events that are read are in the first segment, and the others in one that nobody has asked for.
        var query = Query.FromItems(Item([], "k:1"), Item(["b"]));
        await using var read = store.ReadAsync(query, new ReadOptions { After = 3 }).GetAsyncEnumerator();
        Assert.True(await read.MoveNextAsync());
        await store.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => ReadToEndAsync(read));

        Assert.Equal([], client.OpenFiles);
    }

    [Fact]
    public async Task Read_under_way_takes_no_closed_run_for_a_damaged_one()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        using var logs = new Logs();
        place.Runs = new RunSettings { Length = 16, Fan = 2, LengthMax = 32, InBackground = false };
        var store = place.Open(options => options.LoggerFactory = logs);
        for (var events = 1; events <= 70; events++)
            await store.AppendAsync([New("a")]);
        store.MakeRuns();
        // The events that are read first are in the first run only.
        await using var read = store.ReadAsync(Query.All).GetAsyncEnumerator();
        Assert.True(await read.MoveNextAsync());
        await store.DisposeAsync();
        var before = place.Snapshot();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => ReadToEndAsync(read));

        Assert.Equal(before, place.Snapshot());
        Assert.DoesNotContain(logs.Lines, static line => line.Text.Contains("damaged", StringComparison.Ordinal));
    }

    private static async Task ReadToEndAsync(IAsyncEnumerator<SequencedEvent> read)
    {
        while (await read.MoveNextAsync())
        {
            // Its content does not matter.
        }
    }

    [EventType("noted")]
    internal sealed record Noted(int Number);
}
