using Opossum.Reactions;
using Opossum.Reactions.Running;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Reactions;

/// <summary>A reaction takes its events in parts; here each part is small, and there are several.</summary>
public sealed class BatchTests
{
    private readonly SimulatedClock clock = new();
    private readonly SimulatedDisk disk;
    private readonly List<SteppedReaction.Begin> begins = [];

    public BatchTests() => disk = new SimulatedDisk(VolumeKind.Ext4, clock);

    private IEnumerable<long> Begun => begins.Select(static each => each.Position);

    [Theory]
    [InlineData(6)]
    [InlineData(7)]
    [InlineData(8)]
    public void Each_event_of_several_batches_is_handled_once_and_in_order(int events)
    {
        var process = new SteppedReaction(disk.Attach(), begins, sizes: new ReactionSizes { EventsABatch = 3 });
        process.Append([.. Enumerable.Range(1, events).Select(static number => RecordingReaction.Placed($"{number}"))]);
        process.Run();

        Assert.Equal(Enumerable.Range(1, events).Select(static number => (long)number), Begun);
        process.CheckExact();
    }

    [Fact]
    public void Each_event_of_several_batches_that_have_enough_bytes_is_handled_once_and_in_order()
    {
        var process = new SteppedReaction(disk.Attach(), begins, sizes: new ReactionSizes { BytesABatch = 3 });
        process.Append([.. Enumerable.Range(1, 5).Select(static number => RecordingReaction.Placed($"{number}"))]);
        process.Run();

        Assert.Equal([1, 2, 3, 4, 5], Begun);
    }

    [Theory]
    [InlineData(4)]
    [InlineData(5)]
    public void Each_event_that_waited_behind_a_parked_one_is_handled_once_and_in_order(int waiting)
    {
        var fails = true;
        var process = new SteppedReaction(disk.Attach(), begins, context => Assert.False(fails && context.Event.Position == 1), retries: 0,
            sizes: new ReactionSizes { EventsOfAKeyABatch = 2 });
        process.Append([.. Enumerable.Range(0, 1 + waiting).Select(static _ => RecordingReaction.Placed("a"))]);
        process.Run();
        Assert.Equal([1], Begun);

        fails = false;
        process.Ask(static term => term.TryRetryAsync(1, CancellationToken.None).AsTask());
        process.Run();

        Assert.Equal([1, .. Enumerable.Range(1, 1 + waiting).Select(static number => (long)number)], Begun);
    }

    [Fact]
    public void A_key_with_many_events_lets_another_one_come_in_between()
    {
        var process = new SteppedReaction(disk.Attach(), begins, sizes: new ReactionSizes { EventsATurn = 2 });
        process.Append([.. "aaaaab".Select(static key => RecordingReaction.Placed($"{key}"))]);
        process.Run();

        Assert.Equal([1, 2, 6, 3, 4, 5], Begun);
    }

    [Fact]
    public void No_more_than_so_many_events_are_parked_and_the_others_are_retried_until_there_is_room()
    {
        var process = new SteppedReaction(disk.Attach(), begins, static _ => Assert.Fail("No mail server."), retries: 0,
            sizes: new ReactionSizes { ParkedMax = 2 });
        process.Append([.. Enumerable.Range(1, 5).Select(static number => RecordingReaction.Placed($"{number}"))]);
        StepAfterPause(process);
        Assert.Equal([1, 2], process.Parked);
        Assert.Equal([1, 1, 2, 2, 2], Enumerable.Range(1, 5).Select(position => Begun.Count(each => each == position)));

        // Whenever one leaves, one comes in its place.
        for (var skipped = 1; skipped <= 3; skipped++)
        {
            process.Ask(term =>
            {
                term.Skip(skipped, "not needed");
                return Task.FromResult(true);
            });
            StepAfterPause(process);
            Assert.Equal([skipped + 1, skipped + 2], process.Parked);
        }
    }

    [Fact]
    public void No_more_is_read_while_more_than_a_batch_is_open()
    {
        var process = new SteppedReaction(disk.Attach(), begins, static context => Assert.NotInRange(context.Event.Position, 1, 4),
            retries: 1_000, sizes: new ReactionSizes { EventsABatch = 3 });
        process.Append([.. Enumerable.Range(1, 8).Select(static number => RecordingReaction.Placed($"{number}"))]);
        process.Step();
        Assert.Equal([1, 2, 3], Begun);
        process.Step();
        Assert.Equal([1, 2, 3, 4, 5, 6], Begun.Distinct().Order());
        // Four have failed, and wait for their next attempt.
        process.Step();
        Assert.Equal([1, 2, 3, 4, 5, 6], Begun.Distinct().Order());
    }

    [Fact]
    public void No_more_is_read_at_a_time_or_while_it_is_open_than_so_many_bytes()
    {
        var process = new SteppedReaction(disk.Attach(), begins, context => Assert.NotInRange(context.Event.Position, 1, 3), retries: 1_000,
            sizes: new ReactionSizes { BytesABatch = 2 * 62 });
        process.Append([.. Enumerable.Range(1, 8).Select(static number =>
            NewEvent.FromJson("placed", $"\"{new string('x', 60)}\"", new Tag("order", $"{number}")))]);
        process.Step();
        Assert.Equal([1, 2], Begun);
        // Two have failed, and wait for their next attempt.
        process.Step();
        Assert.Equal([1, 2], Begun.Distinct());
    }

    [Fact]
    public void Events_that_were_not_given_out_yet_are_handled_also_when_it_is_told_to_handle_those_after_them_again()
    {
        var process = new SteppedReaction(disk.Attach(), begins, sizes: new ReactionSizes { EventsABatch = 2 });
        process.Append([.. Enumerable.Range(1, 8).Select(static number => RecordingReaction.Placed($"{number}"))]);
        process.Step();
        Assert.Equal([1, 2], Begun);

        process.Ask(static term => term.TryHandleAgainAsync(8 + 1, CancellationToken.None).AsTask());
        process.Run();

        Assert.Equal(Enumerable.Range(1, 8).Select(static number => (long)number), Begun);
    }

    [Fact(Timeout = 60_000)]
    public async Task The_term_is_woken_when_many_events_are_done_while_others_wait()
    {
        var end = new TaskCompletionSource();
        await using var lanes = new Lanes(1, static work => Task.Run(work), new ReactionSizes { DoneAtOnce = 3 },
            (each, _) => each.Event.Position <= 3 ? Task.CompletedTask : end.Task);
        var woken = lanes.Progressed.Next;

        lanes.Add(Enumerable.Range(1, 4).Select(static position => Handling(position)));
        await woken;

        Assert.Equal([1L, 2, 3], lanes.Take().Done.Select(static each => each.Event.Position));
        end.SetResult();
    }

    [Fact]
    public async Task An_event_before_the_parked_one_of_its_key_is_handled_and_only_those_after_it_are_taken_out()
    {
        await using var lanes = new Lanes(1, static work => work(), new ReactionSizes(),
            static (each, _) => each.Event.Position == 3 ? throw new InvalidOperationException("no mail server") : Task.CompletedTask);
        lanes.Add([Handling(3), Handling(1), Handling(4)]);

        var removed = lanes.Remove(lanes.Take().Failed.Single(), withLater: true);

        Assert.Equal([3L, 4], removed.Select(static each => each.Event.Position));
        Assert.Equal([1L], lanes.Take().Done.Select(static each => each.Event.Position));
        Assert.False(lanes.Has("a"));
    }

    // What is retried waits longest when it cannot be parked.
    private void StepAfterPause(SteppedReaction process)
    {
        for (var pause = 0; pause < 2; pause++)
        {
            process.Step();
            process.Step();
            clock.Advance(pause == 0 ? Backoff.Longest : TimeSpan.Zero);
        }
    }

    private static Handling Handling(long position) =>
        new(new SequencedEvent(position, "placed", 1, [], 0, Guid.NewGuid(), "{}"u8.ToArray(), 0, decoder: null), key: "a", order: position, begun: 0, charged: 0);
}
