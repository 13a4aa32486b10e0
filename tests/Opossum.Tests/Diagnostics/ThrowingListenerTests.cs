using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.Loader;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.Diagnostics;

/// <summary>A listener of the meter or of the activities that throws changes nothing of what the store does or answers.</summary>
[Collection(nameof(TelemetryCollection))]
public sealed class ThrowingListenerTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolder(shardPositions: 4);
    private int thrown;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task A_listener_of_the_meter_that_throws_takes_part_in_nothing()
    {
        using var meters = ListenToMeter();
        var store = place.Open(options => options.SealAllButNewestFolders = 1);
        for (var number = 1; number <= 9; number++)
            Assert.Equal(number, (await store.AppendAsync(Events.New("t"), cancellationToken: Cancellation)).LastPosition);
        Assert.Equal(10, (await place.Open().AppendAsync(Events.New("t"), cancellationToken: Cancellation)).LastPosition);
        await Assert.ThrowsAsync<AppendConditionFailedException>(
            () => store.AppendAsync(Events.New("t"), new AppendCondition(Query.All), Cancellation));
        Assert.Equal(10, (await store.ReadAllAsync()).Count);
        store.SealFolders();
        place.CloseStores();
        place.Delete(place.Layout.IndexFile);
        Assert.Equal(10, await place.Open().GetHeadAsync(Cancellation));
        place.CloseStores();

        place.AssertClean();
        Assert.True(thrown > 30, $"{thrown}");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_listener_of_activities_that_throws_takes_part_in_nothing(bool atStart)
    {
        using var sources = ListenToSource(atStart);
        using var request = new Activity("request").Start();
        var store = place.Open();
        Assert.Equal(2, (await store.AppendAsync(Events.Many(2), cancellationToken: Cancellation)).LastPosition);
        Assert.Equal(2, (await store.ReadAllAsync()).Count);
        await Assert.ThrowsAsync<AppendConditionFailedException>(
            () => store.AppendAsync(Events.New("t"), new AppendCondition(Query.All), Cancellation));
        using (ProcessingScope.Begin((await store.ReadAllAsync())[0]))
            Assert.Equal(3, (await store.AppendAsync(Events.New("t"), cancellationToken: Cancellation)).LastPosition);

        Assert.Same(request, Activity.Current);
        Assert.True(thrown >= 6, $"{thrown}");
    }

    [Fact]
    public async Task A_reaction_handles_an_event_once_where_listeners_throw()
    {
        using var meters = ListenToMeter();
        using var sources = ListenToSource(atStart: false);
        var store = place.Open();
        var reaction = new RecordingReaction(ReactionStart.Head);
        await using var runner = store.StartReactions([reaction], new ReactionOptions { RetryDelay = TimeSpan.Zero });
        await store.AppendAsync(RecordingReaction.Placed("a"), cancellationToken: Cancellation);
        await runner.WaitForAsync(1, Cancellation);

        Assert.Equal([(1L, 1)], reaction.Handled.Select(each => (each.Position, each.Attempt)));
        Assert.True(thrown >= 2, $"{thrown}");
    }

    [Fact]
    public async Task A_store_works_where_listeners_throw_when_they_learn_of_the_meter_and_the_source()
    {
        var mayThrow = false;
        using var meters = new MeterListener();
        meters.InstrumentPublished = (_, _) =>
        {
            if (mayThrow)
                Throw();
        };
        meters.Start();
        using var sources = new ActivityListener { ShouldListenTo = _ => mayThrow && Throw() };
        ActivitySource.AddActivityListener(sources);
        mayThrow = true;

        // Instruments and source are made once in a process: another copy of the library makes them now.
        var library = new AssemblyLoadContext("another copy").LoadFromAssemblyPath(typeof(FileSystemEventStore).Assembly.Location);
        dynamic options = Activator.CreateInstance(Of<OpossumOptions>())!;
        options.Path = place.Root;
        await using var store = await (dynamic)Of<FileSystemEventStore>().GetMethod("OpenAsync", [Of<OpossumOptions>(), typeof(CancellationToken)])!
            .Invoke(null, [options, Cancellation])!;
        dynamic e = Of<NewEvent>().GetMethod("FromJson", [typeof(string), typeof(string), Of<Tag>().MakeArrayType()])!
            .Invoke(null, ["t", "{}", Array.CreateInstance(Of<Tag>(), 0)])!;
        dynamic events = Array.CreateInstance(Of<NewEvent>(), 1);
        events[0] = e;
        Assert.Equal(1L, (await store.AppendAsync(events)).LastPosition);
        Assert.True(thrown > 1, $"{thrown}");

        Type Of<T>() => library.GetType(typeof(T).FullName!)!;
    }

    private MeterListener ListenToMeter()
    {
        var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, meters) =>
        {
            if (instrument.Meter.Name == "Opossum")
                meters.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<double>((_, _, _, _) => Throw());
        listener.SetMeasurementEventCallback<long>((_, _, _, _) => Throw());
        listener.Start();
        return listener;
    }

    private ActivityListener ListenToSource(bool atStart)
    {
        var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Opossum",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
        };
        if (atStart)
            listener.ActivityStarted = _ => Throw();
        else
            listener.ActivityStopped = _ => Throw();
        ActivitySource.AddActivityListener(listener);
        return listener;
    }

    private bool Throw()
    {
        Interlocked.Increment(ref thrown);
        throw new InvalidOperationException("listener");
    }
}
