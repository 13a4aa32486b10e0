using Microsoft.Extensions.Logging;
using Opossum.Testing.Simulated;
using Opossum.Tests.Contract;
using Opossum.Tests.Projections;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>A logger or a progress callback that throws changes nothing of what the store does or answers.</summary>
public sealed class ThrowingCallbackTests
{
    [Fact]
    public async Task A_logger_that_throws_takes_part_in_nothing()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        using var loggers = new ThrowingLoggers();
        var store = place.Open(options => options.LoggerFactory = loggers);
        await store.AppendAsync([New("a")]);
        place.CloseStores();
        place.Put(place.Layout.EventFile(2), "half a fi"u8);
        place.Delete(place.Layout.IndexFile);

        store = place.Open(options => options.LoggerFactory = loggers);
        Assert.Equal(2, (await store.AppendAsync([New("b")])).LastPosition);
        place.Disk!.FailNext(OperationKind.Flush);
        Assert.Equal(AppendOutcome.Unknown,
            (await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync([New("c")]))).Outcome);
        Assert.Equal(AppendOutcome.NothingWritten,
            (await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync([New("d")]))).Outcome);
        Assert.True(loggers.Thrown >= 5);
    }

    [Fact]
    public async Task A_logger_that_throws_does_not_keep_events_from_being_flushed_in_the_background()
    {
        var clock = new EagerClock();
        using var place = StorePlace.On(VolumeKind.Ext4, clock);
        using var loggers = new ThrowingLoggers();
        var options = place.Options();
        options.LoggerFactory = loggers;
        options.FlushEventsImmediately = false;
        var store = FileSystemEventStore.Open(options, place.Attach(), place.Layout);
        place.Disk!.FailNext(OperationKind.FlushWhole);

        await store.AppendAsync([New("a")]);
        await clock.Fired;
        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync([New("b")]));
        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.DisposeAsync());
        Assert.True(loggers.Thrown >= 3);
    }

    [Fact]
    public async Task A_progress_callback_that_throws_is_not_called_again_while_the_index_is_built()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        for (var number = 0; number < 11; number++)
            await store.AppendAsync(Many(1_000, "a"));
        place.CloseStores();
        place.Delete(place.Layout.IndexFile);
        var progress = new ThrowingProgress();

        Assert.Equal(11_000, await place.Open(options => options.Advanced.RebuildProgress = progress).GetHeadAsync());
        Assert.Equal(1, progress.Calls);
    }

    [Fact]
    public async Task A_progress_callback_that_throws_is_not_called_again_while_states_are_built()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        var store = place.Open();
        await store.AppendAsync(Many(3, "a", "k:1"));
        var progress = new ThrowingProgress();
        await using var projections = store.StartProjections([new Counts()], new ProjectionOptions { RebuildProgress = progress });

        await store.Projections.Get<Count>().WaitForAsync(3, TestContext.Current.CancellationToken);
        Assert.Equal(1, progress.Calls);
    }

    [Fact]
    public async Task A_progress_callback_that_throws_is_not_called_again_while_a_store_is_checked_or_repaired()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        for (var number = 0; number < 5; number++)
            await store.AppendAsync(Many(1_000, "a"));
        place.CloseStores();
        var progress = new ThrowingProgress();

        Assert.True(place.Check(progress).IsClean);
        Assert.Equal(1, progress.Calls);
        Assert.Empty(place.Repair(Remedies.RebuildIndex, progress).Remaining);
        Assert.Equal(2, progress.Calls);
    }

    private sealed class ThrowingProgress : IProgress<StoreProgress>
    {
        public int Calls { get; private set; }

        public void Report(StoreProgress value)
        {
            Calls++;
            throw new InvalidOperationException("progress");
        }
    }

    private sealed class ThrowingLoggers : ILoggerFactory, ILogger
    {
        private int thrown;

        public int Thrown => thrown;

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            Interlocked.Increment(ref thrown);
            throw new InvalidOperationException("log");
        }

        public void Dispose()
        {
        }
    }
}
