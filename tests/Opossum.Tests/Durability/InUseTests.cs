using Opossum.FileSystem;
using Opossum.Testing.Simulated;
using Opossum.Tests.Subscriptions;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Durability;

/// <summary>Another program holds a file of the store, as virus scanners, indexers and backup programs do on Windows.</summary>
public sealed class InUseTests : IDisposable
{
    private const string Advice =
        "Another program holds the file, such as a virus scanner, an indexer or a backup program: exclude the store's folder there.";

    private readonly HandDrivenClock clock = new();
    private readonly StorePlace place;

    public InUseTests() => place = StorePlace.On(VolumeKind.Posix, clock);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task A_file_that_could_not_be_opened_to_be_flushed_later_is_flushed_the_next_time()
    {
        var store = place.Open(options => options.FlushEventsImmediately = false);
        await store.AppendAsync(Many(3));
        var held = place.Disk!.Fail(Holds(place.Layout.EventFile(2)));
        clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(1, held.Hits);
        Assert.Null(store.FindTrouble());
        Assert.Equal(4, (await store.AppendAsync([New("t")])).LastPosition);
        place.Disk.Mend();
        clock.Advance(TimeSpan.FromSeconds(1));

        using var after = StorePlace.On(place.Disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
        Assert.Equal([1, 2, 3, 4], await after.Open().PositionsAsync());
        after.AssertClean();
    }

    [Fact]
    public async Task A_flush_that_failed_is_heard_of_although_a_file_could_not_be_opened()
    {
        var store = OpenWithoutFlushing();
        await store.AppendAsync(Many(3));
        place.Disk!.Fail(Holds(place.Layout.EventFile(1)));
        place.Disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Flush
            && operation.Path == place.Layout.EventFile(3),
            DropsDirtyBytes = true
        });
        clock.Advance(TimeSpan.FromSeconds(1));
        Assert.NotNull(store.FindTrouble());
        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.DisposeAsync());
        place.Disk.Mend();
    }

    [Fact]
    public async Task A_file_that_is_still_held_when_the_store_is_disposed_is_flushed_before_the_next_append()
    {
        var store = OpenWithoutFlushing();
        await store.AppendAsync(Many(3));
        place.Disk!.Fail(Holds(place.Layout.EventFile(2)));
        var error = await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.DisposeAsync());
        Assert.Equal(AppendOutcome.Unknown, error.Outcome);
        place.Disk.Mend();
        await place.Open().AppendAsync([New("t")]);

        using var after = StorePlace.On(place.Disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
        Assert.Equal([1, 2, 3, 4], await after.Open().PositionsAsync());
    }

    [Fact]
    public async Task An_append_is_refused_with_its_own_advice_and_succeeds_later()
    {
        var store = place.Open();
        await store.AppendAsync([New("t")]);
        place.Disk!.Fail(new Fault { When = operation => operation.Kind == OperationKind.CreateNew, Error = FileError.InUse });
        var error = await Assert.ThrowsAsync<StoreIOException>(async () => await store.AppendAsync([New("t")]));
        Assert.Equal((place.Layout.EventFile(2), true), (error.Path, error.IsTransient));
        Assert.EndsWith($"{Advice} The store stays usable; try again.", error.Message, StringComparison.Ordinal);
        Assert.Equal(2, (await store.AppendAsync([New("t")])).LastPosition);
        place.AssertClean();
    }

    [Fact]
    public async Task A_store_is_refused_with_its_own_advice_and_opens_later()
    {
        await place.Open().AppendAsync([New("t")]);
        place.CloseStores();
        place.Disk!.Fail(Holds(place.Layout.StoreFile));
        var error = Assert.Throws<StoreOpenException>(() => place.Open());
        Assert.Equal((place.Layout.StoreFile, true), (error.Path, error.IsTransient));
        Assert.EndsWith($"{Advice} Then open it again.", error.Message, StringComparison.Ordinal);
        place.Disk.Mend();
        Assert.Equal([1], await place.Open().PositionsAsync());
    }

    // Not the place's to dispose, which would fail again.
    private FileSystemEventStore OpenWithoutFlushing()
    {
        var options = place.Options();
        options.FlushEventsImmediately = false;
        return FileSystemEventStore.Open(options, place.Attach(), place.Layout);
    }

    private static Fault Holds(string path) =>
        new()
        {
            When = operation => operation.Kind is OperationKind.Open or OperationKind.OpenOrCreate
            && operation.Path == path,
            Error = FileError.InUse,
            Lasts = true
        };
}
