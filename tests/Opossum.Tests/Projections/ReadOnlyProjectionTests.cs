using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>Projections of a store that is open for reading only: their states are read, and kept up to date by other processes alone.</summary>
public sealed class ReadOnlyProjectionTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly ProjectionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(1) };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact(Timeout = HangMilliseconds)]
    public async Task States_are_read_as_a_writer_keeps_them()
    {
        var writer = place.Open();
        await writer.AppendAsync([Counts.Counted("a"), Counts.Counted("a", "b")], cancellationToken: Cancellation);
        await using var running = writer.StartProjections([new Counts()], quick);
        await writer.Projections.Get<Count>().WaitForAsync(2, Cancellation);
        var store = OpenForReading();
        await using var reading = store.StartProjections([new Counts()], quick);
        var counts = store.Projections.Get<Count>();

        Assert.Equal(2, (await counts.GetAsync("a", Cancellation))?.Number);
        Assert.Equal(["b"], (await counts.FindAsync([new Tag("parity", "odd")], Cancellation).ToListAsync()).Select(state => state.Key));
        await writer.AppendAsync([Counts.Counted("a"), Counts.Deleted("b")], cancellationToken: Cancellation);
        await counts.WaitForAsync(4, Cancellation);
        Assert.Equal(3, (await counts.GetAsync("a", Cancellation))?.Number);
        Assert.Equal(["a"], (await counts.ReadAllAsync(Cancellation).ToListAsync()).Select(state => state.Key));
        var status = await counts.GetStatusAsync(Cancellation);
        Assert.Equal((FollowerPhase.Running, 4L, 4L, false), (status.Phase, status.Position, status.Head, status.IsLeader));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Nothing_is_written_and_what_would_be_is_refused()
    {
        var writer = place.Open();
        await using (var running = writer.StartProjections([new Counts()], quick))
        {
            await writer.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
            await writer.Projections.Get<Count>().WaitForAsync(1, Cancellation);
        }
        await writer.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
        place.CloseStores();
        var before = place.Snapshot();

        var store = OpenForReading();
        store.StartProjections([new Counts(), new Counts(name: "never-built")], quick);
        var counts = store.Projections.Get<Count>("counts");
        Assert.Equal(1, (await counts.GetAsync("a", Cancellation))?.Number);
        Assert.Null(await store.Projections.Get<Count>("never-built").GetAsync("a", Cancellation));
        var status = await counts.GetStatusAsync(Cancellation);
        Assert.Equal((FollowerPhase.Running, 1L, 2L, null), (status.Phase, status.Position, status.Head, status.Problem));
        Assert.Equal(
            $"The store in {place.Root} is open for reading only. To send a request to the projection counts, open the store with "
                + "OpossumOptions.ReadOnly = false.",
            (await Assert.ThrowsAsync<NotSupportedException>(async () => await store.Projections["counts"].RebuildAsync(cancellationToken: Cancellation))).Message);
        await Assert.ThrowsAsync<NotSupportedException>(async () => await store.Projections["counts"].RetryAsync(cancellationToken: Cancellation));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await store.Projections["counts"].SkipAsync(2, "It was a mistake.", cancellationToken: Cancellation));
        var waiting = counts.WaitForAsync(2, Cancellation);
        place.CloseStores();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting);
        Assert.Equal(before, place.Snapshot());
    }

    private FileSystemEventStore OpenForReading() => place.Open(options => options.ReadOnly = true);
}
