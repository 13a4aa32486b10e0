using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

/// <summary>What FlushEventsImmediately and a cancellation mean, where the simulated disk can place the fault exactly.</summary>
public sealed class DurabilityTests
{
    public static TheoryData<string> LocalKinds => [nameof(VolumeKind.Ext4), nameof(VolumeKind.Btrfs), nameof(VolumeKind.Posix)];

    [Theory]
    [MemberData(nameof(LocalKinds))]
    public async Task Without_flushing_it_is_disposal_that_makes_events_survive_a_power_cut(string kind)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var store = place.Open(options => options.FlushEventsImmediately = false);
        await store.AppendAsync([New("a", "k:1")]);
        await store.AppendAsync([New("b"), New("c", "k:1")]);

        // The flush in the background comes by the system's clock, a second later or when the store is disposed.
        await store.DisposeAsync();
        await AssertSurvivesAsync(place.Disk!, 3);
    }

    [Theory]
    [MemberData(nameof(LocalKinds))]
    public async Task Without_flushing_a_flush_follows_every_append_however_early_its_timer_fires(string kind)
    {
        var clock = new EagerClock();
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind), clock);
        var store = place.Open(options => options.FlushEventsImmediately = false);

        await store.AppendAsync([New("a", "k:1")]);
        await clock.Fired;
        await AssertSurvivesAsync(place.Disk!, 1);
    }

    // One that was killed. It left the note that its events are not flushed, by which a backup leaves them out.
    [Theory]
    [MemberData(nameof(LocalKinds))]
    public async Task Opening_a_store_makes_durable_what_a_process_that_ended_did_not_flush(string kind)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var ended = place.Open(options =>
        {
            options.FlushEventsImmediately = false;
            options.TimeProvider = new TestClock();
        });
        await ended.AppendAsync([New("a", "k:1")]);
        await ended.AppendAsync([New("b"), New("c", "k:1")]);
        using (var files = place.Attach())
        {
            var without = StoreBackup.Run(files, place.Layout, "/before", options: null, place.Clock);
            Assert.Equal((0, 3), (without.Head, without.NotDurable));
            Assert.Contains("3 events after it are not known to be durable, and were left out.", without.ToString(), StringComparison.Ordinal);
        }

        place.Open().Dispose();

        await AssertSurvivesAsync(place.Disk!, 3);
        using (var files = place.Attach())
            Assert.Equal(3, StoreBackup.Run(files, place.Layout, "/after", options: null, place.Clock).Head);
        var trace = place.Disk!.Trace = [];
        place.Open().Dispose();
        Assert.DoesNotContain(trace, operation => operation.Path == place.Layout.EventFile(2));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_opening_leaves_what_is_not_flushed_to_a_process_that_flushes_it_and_opens_where_it_cannot(bool isFlushing)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        await place.Open(options =>
        {
            options.FlushEventsImmediately = false;
            options.TimeProvider = new TestClock();
        }).AppendAsync([New("a"), New("b")]);
        using var files = place.Attach();
        using var duty = isFlushing ? files.Open(place.Layout.FilesLockFile, FileOpening.ReadWriteOrCreate) : null;
        duty?.TryLock(StoreLayout.LockOffset);
        if (!isFlushing)
            place.Disk!.Fail(new Fault { When = static operation => operation.Kind == OperationKind.FlushWhole, Lasts = true });
        var trace = place.Disk!.Trace = [];

        Assert.Equal(2, await place.Open().GetHeadAsync());

        Assert.DoesNotContain(trace, operation => isFlushing && operation.Kind == OperationKind.FlushWhole);
        Assert.Equal(0, StoreLock.ReadDurable(files, place.Layout.LockFile));
        place.Disk.Mend();
    }

    [Fact]
    public async Task Refusal_by_a_condition_names_no_head_that_was_lost_with_the_rest_of_its_group()
    {
        // The system's clock: the appends wait until the lock is free.
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        var store = place.Open();
        await store.AppendAsync([New("a")]);
        Task<AppendResult> lost, refused;
        using (var other = place.OtherLock())
        using (other.Acquire(TimeSpan.FromMinutes(1)))
        {
            lost = store.AppendAsync([New("b")]);
            refused = store.AppendAsync([New("c")], new AppendCondition(Query.All));
            place.Disk!.Fail(new Fault
            {
                When = static operation => operation.Kind is OperationKind.Flush or OperationKind.FlushRange or OperationKind.FlushFolder
                    or OperationKind.FlushWhole,
                Lasts = true,
            });
        }

        await Assert.ThrowsAsync<StoreFaultedException>(() => lost);
        Assert.Equal(1, (await Assert.ThrowsAsync<AppendConditionFailedException>(() => refused)).Head);
        place.Disk.Mend();
    }

    [Fact]
    public async Task A_cancellation_after_the_append_has_begun_changes_nothing_of_its_outcome()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var system = place.Disk!.Attach();
        var store = place.Open(system);
        using var cancellation = new CancellationTokenSource();
        system.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.CreateNew)
                cancellation.Cancel();
        };

        Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 1 }, await store.AppendAsync([New("a")], cancellationToken: cancellation.Token));
        Assert.True(cancellation.IsCancellationRequested);
        Assert.Equal([1], await store.PositionsAsync());
    }

    [Fact]
    public async Task A_failed_append_that_was_cancelled_too_tells_of_the_failure()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        using var cancellation = new CancellationTokenSource();
        place.Disk!.Fail(new Fault
        {
            When = operation =>
            {
                if (operation.Kind != OperationKind.CreateNew)
                    return false;
                cancellation.Cancel();
                return true;
            },
            Error = FileError.DiskFull,
        });

        var error =
            await Assert.ThrowsAsync<StoreIOException>(async () => await store.AppendAsync([New("a")], cancellationToken: cancellation.Token));
        Assert.Equal((place.Layout.EventFile(1), true), (error.Path, error.IsTransient));
        Assert.Contains("Nothing was appended.", error.Message, StringComparison.Ordinal);
        Assert.Contains("Free some space; the store stays usable.", error.Message, StringComparison.Ordinal);
        Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 1 }, await store.AppendAsync([New("a")]));
    }

    private static async Task AssertSurvivesAsync(SimulatedDisk disk, int events)
    {
        foreach (var cut in PowerCut.Each(seeds: 5))
        {
            using var after = StorePlace.On(disk.AfterPowerCut(cut));
            Assert.Equal(events, (await after.Open().PositionsAsync()).Count);
            after.AssertClean();
        }
    }
}
