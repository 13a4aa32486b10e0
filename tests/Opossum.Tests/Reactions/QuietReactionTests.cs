using Opossum.Testing.Simulated;

namespace Opossum.Tests.Reactions;

/// <summary>Events that a reaction has nothing to do with, or must not act on.</summary>
public sealed class QuietReactionTests
{
    private readonly SimulatedClock clock = new();
    private readonly SimulatedDisk disk;
    private readonly List<SteppedReaction.Begin> begins = [];

    public QuietReactionTests() => disk = new SimulatedDisk(VolumeKind.Ext4, clock);

    [Fact]
    public void Other_processes_see_within_a_second_that_nothing_is_left_to_do_and_no_flush_is_spent_on_it()
    {
        var process = new SteppedReaction(disk.Attach(), begins);
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Append(NewEvent.FromJson("other", "{}"));
        clock.Advance(TimeSpan.FromSeconds(1));
        disk.Trace = [];
        process.Run();
        var flushes = disk.Trace.FindAll(static each => each.IsFlush);

        Assert.Empty(flushes);
        Assert.Equal((3, 3), (process.Stored.Position, process.Stored.Head));
        // A power cut undoes what is not durable, and the next leader continues from what is.
        disk.Cut();
        var next = new SteppedReaction(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll, 0)).Attach(), begins);
        next.Run();
        Assert.Null(next.Halted);
        Assert.Equal([1], begins.Select(static each => each.Position));
    }

    [Fact]
    public void Other_processes_see_that_events_are_passed_over_although_one_fails()
    {
        var process = new SteppedReaction(disk.Attach(), begins, static _ => throw new InvalidOperationException("no mail server"),
            retryDelay: TimeSpan.FromSeconds(20));
        process.Append(RecordingReaction.Placed("a"));
        process.Step();
        process.Step();
        process.Append(NewEvent.FromJson("other", "{}"), NewEvent.FromJson("other", "{}"));
        clock.Advance(TimeSpan.FromSeconds(1));
        disk.Trace = [];
        process.Step();

        Assert.DoesNotContain(disk.Trace, static each => each.IsFlush);
        Assert.Equal((3, 3, 1), (process.Stored.Position, process.Stored.Head, process.Stored.Open));
        // The attempts that follow do not take it back.
        clock.Advance(TimeSpan.FromSeconds(25));
        process.Step();
        process.Step();
        Assert.Equal((3, 1), (process.Stored.Position, process.Stored.Failing));
    }

    [Fact]
    public void An_event_of_another_type_that_cannot_be_read_ends_no_term()
    {
        using var place = StorePlace.On(disk);
        var process = new SteppedReaction(disk.Attach(), begins);
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Append(NewEvent.FromJson("other", "{}"));
        var segment = place.Layout.Segment(0);
        place.Patch(segment, place.Bytes(segment).AsSpan().LastIndexOf("\"type\""u8), new byte[4]);
        place.Delete(place.Layout.EventFile(3));
        for (var steps = 0; steps < 3; steps++)
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            Assert.NotEqual(TimeSpan.Zero, process.Step());
        }

        Assert.Equal([1], begins.Select(static each => each.Position));
        Assert.True(process.Leads);
    }

    [Theory]
    [InlineData(2, "4 5")]
    [InlineData(3, "")]
    [InlineData(4, "")]
    public async Task A_damaged_event_holds_up_a_start_at_a_time_only_if_it_may_have_that_time(int damaged, string handled)
    {
        using var place = StorePlace.On(disk);
        using (var store = place.Open())
        {
            for (var position = 1; position < 6; position++)
            {
                await store.AppendAsync(RecordingReaction.Placed("a"), cancellationToken: TestContext.Current.CancellationToken);
                clock.Advance(TimeSpan.FromDays(1));
            }
        }
        var mend = place.Damage(damaged);
        var process = new SteppedReaction(disk.Attach(), begins, start: ReactionStart.Time(clock.GetUtcNow().AddDays(-2)));
        for (var steps = 0; steps < 3; steps++)
            process.Step();
        Assert.Equal(handled, string.Join(' ', begins.Select(static each => each.Position)));

        mend();
        clock.Advance(TimeSpan.FromMinutes(1));
        process.Run();
        Assert.Equal([4, 5], begins.Select(static each => each.Position));
    }

    [Fact]
    public void Events_with_an_earlier_time_than_the_start_are_not_handled_whenever_they_come()
    {
        var start = clock.GetUtcNow();
        var process = new SteppedReaction(disk.Attach(), begins, start: ReactionStart.Time(start));
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        clock.Set(TimeSpan.FromDays(-400));
        process.Append(RecordingReaction.Placed("a"), RecordingReaction.Paid("b"));
        process.Run();
        clock.Set(TimeSpan.FromDays(1));
        process.Append(RecordingReaction.Paid("a"));
        process.Run();
        process.Stop();
        var next = new SteppedReaction(disk.Attach(), begins, start: ReactionStart.Time(start));
        next.Run();

        Assert.Equal([1, 5], begins.Select(static each => each.Position));
        Assert.Equal(0, next.Stored.Open);
    }
}
