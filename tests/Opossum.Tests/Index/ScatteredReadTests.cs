using System.Text;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Index;

/// <summary>Reads of events that lie far from each other: of a slow disk, and of many at once.</summary>
public sealed class ScatteredReadTests : IDisposable
{
    private const int Sought = 210;

    private static readonly string filling = $"\"{new string('x', 16 * 1024)}\"";

    private StorePlace place = StorePlace.On(VolumeKind.Ext4);

    [Fact]
    public async Task Where_reads_are_slow_the_lines_are_prefetched()
    {
        var store = place.Open();
        await AppendAsync(store, sought: 10);
        place.Disk!.OperationTime = TimeSpan.FromMilliseconds(1);
        place.Disk.Trace = [];

        Assert.Equal(10, (await store.PositionsAsync(Events.Tagged("sought:1"))).Count);

        var (prefetched, read) = Ranges();
        Assert.Equal(10, read.Count);
        // The first read shows that reads are slow. The others are prefetched before the second one.
        Assert.Equal(read[1..], prefetched);
        var lines = place.Disk.Trace.FindAll(IsOfLines);
        Assert.True(lines.FindLastIndex(static each => each.Kind == OperationKind.Prefetch)
            < lines.FindIndex(each => each.Kind == OperationKind.Read && (each.Path, each.Offset, each.Count) == read[1]));
    }

    [Fact]
    public async Task Where_reads_are_fast_nothing_is_prefetched()
    {
        var store = place.Open();
        await AppendAsync(store, sought: 10);
        place.Disk!.Trace = [];

        Assert.Equal(10, (await store.PositionsAsync(Events.Tagged("sought:1"))).Count);

        Assert.Equal(10, Ranges().Read.Count);
        Assert.DoesNotContain(place.Disk.Trace, static each => each.Kind == OperationKind.Prefetch);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Where_reads_are_slow_the_pages_of_other_runs_are_prefetched(bool backwards)
    {
        // In one folder: where a segment begins is looked up in a run, too.
        place = StorePlace.On(VolumeKind.Ext4, shardPositions: StoreLayout.ShardPositionsDefault);
        place.Runs = new RunSettings { Length = 8, Fan = 2, LengthMax = 8, InBackground = false };
        var store = place.Open();
        for (var round = 0; round < 5; round++)
            await store.AppendAsync(Events.Many(8, tags: "sought:1"));
        store.MakeRuns();
        place.CloseStores();
        store = place.Open();
        Assert.Equal(4, (await store.GetStatusAsync()).Index.Runs);
        place.Disk!.OperationTime = TimeSpan.FromMilliseconds(1);
        place.Disk.Trace = [];

        Assert.Equal(40, (await store.PositionsAsync(Events.Tagged("sought:1"), new ReadOptions { Backwards = backwards })).Count);

        var pages = place.Disk.Trace.FindAll(static each => each.Path.EndsWith(".run", StringComparison.Ordinal));
        var runs = pages.Select(static each => each.Path).Distinct().ToList();
        // The opening has read pages of one run. Another one shows that reads are slow.
        // After it, the next one is read at once, and the last one is prefetched.
        Assert.Equal([OperationKind.Read, OperationKind.Prefetch, OperationKind.Read],
            runs.ConvertAll(run => pages.Find(each => each.Path == run).Kind));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Many_are_read_by_several_threads_in_their_order(bool backwards)
    {
        place = StorePlace.InFolder();
        var store = place.Open();
        await AppendAsync(store, Sought);
        // A line that is damaged is taken from its event file, of whatever thread.
        Damage(2 * 150 - 1);

        var read = await store.ReadAllAsync(Events.Tagged("sought:1"), new ReadOptions { Backwards = backwards });

        var positions = Enumerable.Range(0, Sought).Select(static at => 2L * at + 1);
        Assert.Equal(backwards ? positions.Reverse() : positions, read.Select(static each => each.Position));
        Assert.All(read, static each => Assert.Equal($"{{\"at\":{each.Position}}}", Encoding.UTF8.GetString(each.Json.Span)));
    }

    [Fact]
    public async Task One_of_many_that_cannot_be_read_is_reported()
    {
        place = StorePlace.InFolder();
        var store = place.Open();
        await AppendAsync(store, Sought);
        Damage(2 * 150 - 1);
        place.Delete(place.Layout.EventFile(2 * 150 - 1));

        var error = await Assert.ThrowsAsync<StoreDamagedException>(() => store.ReadAllAsync(Events.Tagged("sought:1")));

        Assert.Equal(2 * 150 - 1, error.Position);
    }

    public void Dispose() => place.Dispose();

    // Each event that is sought is followed by a long one.
    private static async Task AppendAsync(FileSystemEventStore store, int sought)
    {
        for (var at = 0; at < sought; at += 10)
        {
            await store.AppendAsync([.. Enumerable.Range(at, 10).SelectMany(static each => new[]
            {
                NewEvent.FromJson("t", $"{{\"at\":{2 * each + 1}}}", [new Tag("sought", "1")]),
                NewEvent.FromJson("t", filling),
            })]);
        }
    }

    private void Damage(long position)
    {
        var text = $"{{\"at\":{position}}}";
        var segment = place.Layout.Segment(place.Layout.ShardOf(position));
        place.Patch(segment, place.Bytes(segment).AsSpan().IndexOf(Encoding.UTF8.GetBytes(text)), "?"u8);
    }

    private (List<(string Path, long Offset, long Count)> Prefetched, List<(string Path, long Offset, long Count)> Read) Ranges()
    {
        return (Of(OperationKind.Prefetch), Of(OperationKind.Read));

        List<(string, long, long)> Of(OperationKind kind) =>
            [.. place.Disk!.Trace!.Where(each => each.Kind == kind && IsOfLines(each)).Select(static each => (each.Path, each.Offset, each.Count))];
    }

    private bool IsOfLines(SimulatedOperation operation) =>
        operation.Path.StartsWith(place.Layout.Log, StringComparison.Ordinal) && operation.Path.EndsWith(".jsonl", StringComparison.Ordinal);
}
