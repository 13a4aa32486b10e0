using System.Collections.Concurrent;
using Opossum.FileSystem;
using Opossum.Reactions.Files;
using Opossum.Storage.Folders;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Repair;

namespace Opossum.Tests.Reactions;

/// <summary>Reactions as an app uses them, in a folder.</summary>
public sealed class ReactionTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    // What is logged at the first trouble, and when a scheduled event cannot be appended for now.
    private const int Troubled = 124, NotAppendedYet = 137;

    // What is logged about events that a leader without their handler has passed over.
    private const int TypeAdded = 138, TypeRemoved = 139;

    private static readonly ReactionOptions quick = new() { RetryDelay = TimeSpan.Zero, TakeOverInterval = TimeSpan.FromMilliseconds(10) };

    private readonly StorePlace place = StorePlace.InFolder();

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Events_after_the_start_at_the_head_are_handled_once_and_others_are_not()
    {
        var store = place.Open();
        await AppendAsync(store, RecordingReaction.Placed("before"));
        var reaction = new RecordingReaction(ReactionStart.Head);
        await using (store.StartReactions([reaction], quick))
        {
            await AppendAsync(store, RecordingReaction.Placed("o1"), NewEvent.FromJson("other", "{}"), RecordingReaction.Paid("o1"));
            await reaction.WaitForAsync(2);
        }
        Assert.Equal([2, 4], reaction.Positions);
        Assert.All(reaction.Handled, each => Assert.Equal(1, each.Attempt));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Events_after_the_start_at_the_head_are_handled_although_it_was_stopped_before_it_began()
    {
        var store = place.Open();
        await AppendAsync(store, RecordingReaction.Placed("before"));
        await store.StartReactions([new RecordingReaction(ReactionStart.Head)], quick).DisposeAsync();
        await AppendAsync(store, RecordingReaction.Placed("a"));
        var next = new RecordingReaction(ReactionStart.Head);
        await using (store.StartReactions([next], quick))
            await store.Reactions["recording"].WaitForAsync(2, TestContext.Current.CancellationToken);
        Assert.Equal([2], next.Positions);
    }

    [Theory]
    [InlineData(0, 3)]
    [InlineData(1, 2)]
    [InlineData(3, 0)]
    public async Task Start_after_a_position_handles_the_next_event_first(long position, int count)
    {
        var store = place.Open();
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"), RecordingReaction.Placed("c"));
        var reaction = new RecordingReaction(ReactionStart.After(position), isKeyed: false);
        await using (store.StartReactions([reaction], quick))
        {
            await AppendAsync(store, RecordingReaction.Paid("a"));
            await reaction.WaitForAsync(count + 1);
        }
        Assert.Equal(Enumerable.Range(4 - count, count + 1).Select(each => (long)each), reaction.Positions);
    }

    [Fact]
    public async Task Next_run_continues_after_what_is_done()
    {
        var store = place.Open();
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        var first = new RecordingReaction(ReactionStart.Beginning);
        await using (store.StartReactions([first], quick))
            await first.WaitForAsync(2);
        await AppendAsync(store, RecordingReaction.Paid("a"));
        var second = new RecordingReaction(ReactionStart.Beginning);
        await using (place.Open().StartReactions([second], quick))
            await second.WaitForAsync(1);
        Assert.Equal([(3, 1)], second.Handled.Select(each => (each.Position, each.Attempt)));
    }

    [Fact]
    public async Task Failed_event_is_retried_with_its_key_until_it_succeeds_and_holds_only_its_order()
    {
        var store = place.Open();
        var failures = 0;
        RecordingReaction reaction = null!;
        reaction = new RecordingReaction(ReactionStart.Beginning, async (context, _) =>
        {
            if (context.Event.Position != 1)
                return;
            if (failures++ < 3)
                throw new InvalidOperationException("not yet");
            await reaction.WaitForAsync(1);
        });
        await using (store.StartReactions([reaction], quick))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("a"), RecordingReaction.Placed("b"));
            await reaction.WaitForAsync(3);
        }
        Assert.Equal([3, 1, 2], reaction.Positions);
        Assert.Equal(4, reaction.Handled.Single(each => each.Position == 1).Attempt);
    }

    [Fact]
    public async Task Handler_that_is_stopped_is_told_at_the_next_attempt_and_has_the_same_key()
    {
        var store = place.Open();
        var keys = new ConcurrentQueue<string>();
        var begun = new TaskCompletionSource();
        var first = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            keys.Enqueue(context.IdempotencyKey);
            begun.SetResult();
            await Task.Delay(Timeout.Infinite, cancellationToken);
        });
        await using (store.StartReactions([first], quick))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"));
            await begun.Task;
        }
        var second = new RecordingReaction(ReactionStart.Beginning);
        await using (place.Open().StartReactions([second], quick))
            await second.WaitForAsync(1);
        Assert.Equal([(1L, 2, keys.Single())], second.Handled);
        Assert.Equal(36, keys.Single().Length);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Wait_for_a_position_does_not_wait_for_events_after_it()
    {
        var store = place.Open();
        var mayEnd = new TaskCompletionSource();
        var reaction = new RecordingReaction(ReactionStart.Beginning,
            (context, cancellationToken) => context.Event.Position == 2 ? mayEnd.Task.WaitAsync(cancellationToken) : Task.CompletedTask);
        await using (store.StartReactions([reaction], quick))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"), RecordingReaction.Placed("c"));

            await store.Reactions["recording"].WaitForAsync(1, TestContext.Current.CancellationToken);
            await place.Open().Reactions["recording"].WaitForAsync(1, TestContext.Current.CancellationToken);

            mayEnd.SetResult();
            await store.Reactions["recording"].WaitForAsync(3, TestContext.Current.CancellationToken);
        }
        Assert.Contains(2, reaction.Positions);
    }

    [Fact]
    public async Task Wait_after_a_request_to_handle_again_waits_for_that()
    {
        var store = place.Open();
        var mayEnd = new TaskCompletionSource();
        var reaction = new RecordingReaction(ReactionStart.Beginning,
            (context, cancellationToken) => context.Attempt > 1 ? mayEnd.Task.WaitAsync(cancellationToken) : Task.CompletedTask);
        await using (store.StartReactions([reaction], quick))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"));
            await store.Reactions["recording"].WaitForAsync(1, TestContext.Current.CancellationToken);
            await store.Reactions["recording"].HandleAgainAsync(0, cancellationToken: TestContext.Current.CancellationToken);

            var waiting = store.Reactions["recording"].WaitForAsync(1, TestContext.Current.CancellationToken);

            Assert.False(waiting.IsCompleted);
            mayEnd.SetResult();
            await waiting;
        }
        Assert.Equal([1, 1], reaction.Positions);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Events_are_handled_again_also_when_the_app_is_stopped_at_that_moment()
    {
        var store = place.Open();
        var (cancelled, mayEnd) = (new TaskCompletionSource(), new TaskCompletionSource());
        var reaction = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            if (context.Event.Position == 1)
                return;
            await using var cancellation = cancellationToken.Register(cancelled.SetResult);
            await mayEnd.Task;
        });
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        var running = store.StartReactions([reaction], quick);
        await running.WaitForAsync(1, TestContext.Current.CancellationToken);
        await store.Reactions["recording"].HandleAgainAsync(0, wait: false, TestContext.Current.CancellationToken);
        // The leader waits for its handlers.
        await cancelled.Task;
        var stopped = running.DisposeAsync();
        mayEnd.SetResult();
        await stopped;

        var next = new RecordingReaction(ReactionStart.Beginning);
        await using (store.StartReactions([next], quick))
            await store.Reactions["recording"].WaitForAsync(2, TestContext.Current.CancellationToken);
        Assert.Equal([1, 2], next.Positions.Order());
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Handler_may_have_another_reaction_handle_events_again()
    {
        var store = place.Open();
        var asked = new RecordingReaction(ReactionStart.Beginning, name: "asked");
        var asking = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            await store.Reactions["asked"].WaitForAsync(1, cancellationToken);
            await store.Reactions["asked"].HandleAgainAsync(0, cancellationToken: cancellationToken);
        }, name: "asking", parkedAt: static _ => true);
        await AppendAsync(store, RecordingReaction.Placed("a"));
        await using var running = store.StartReactions([asked, asking], quick);
        await running.WaitForAsync(1, TestContext.Current.CancellationToken);
        // It may have been waited for before it was asked.
        await store.Reactions["asked"].WaitForAsync(1, TestContext.Current.CancellationToken);

        Assert.Empty(await store.Reactions["asking"].ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken));
        Assert.Equal([1, 1], asked.Positions);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Wait_does_not_count_events_that_were_cut_off()
    {
        var store = place.Open();
        var reaction = new RecordingReaction(ReactionStart.Beginning);
        await using (var running = store.StartReactions([reaction], quick))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"));
            await AppendAsync(store, RecordingReaction.Placed("b"));
            await running.WaitForAsync(2, TestContext.Current.CancellationToken);
        }
        place.CloseStores();
        place.Repair(Remedies.Truncate(1));
        store = place.Open();
        await AppendAsync(store, RecordingReaction.Placed("c"));
        var handle = store.Reactions["recording"];

        Assert.Contains("does not fit the store", await WhyNotAsync(), StringComparison.Ordinal);
        await using (store.StartReactions([reaction], quick))
        {
            Assert.Contains("does not fit the store", await WhyNotAsync(), StringComparison.Ordinal);
            await handle.HandleAgainAsync(1, cancellationToken: TestContext.Current.CancellationToken);
            await handle.WaitForAsync(2, TestContext.Current.CancellationToken);
        }
        Assert.Equal([1, 2, 2], reaction.Positions.Order());

        async Task<string> WhyNotAsync() => (await Assert.ThrowsAsync<InvalidOperationException>(
            () => handle.WaitForAsync(2, TestContext.Current.CancellationToken))).Message;
    }

    [Fact]
    public async Task Events_of_a_key_are_handled_in_order_and_keys_side_by_side()
    {
        var store = place.Open();
        var both = new CountdownEvent(2);
        var reaction = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            if (context.Event.Position > 2)
                return;
            both.Signal();
            await Task.Run(() => both.Wait(cancellationToken), cancellationToken);
        });
        await AppendAsync(store, [.. Enumerable.Range(0, 1_000).Select(at => RecordingReaction.Placed($"o{at % 2}"))]);
        await using (store.StartReactions([reaction], quick))
            await reaction.WaitForAsync(1_000);
        foreach (var parity in (int[])[0, 1])
        {
            Assert.Equal(Enumerable.Range(1, 1_000).Where(each => each % 2 == parity).Select(each => (long)each),
                reaction.Positions.Where(each => each % 2 == parity));
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Events_that_a_leader_without_their_handler_passes_over_are_logged_at_a_take_over()
    {
        using var logs = new Logs();
        var store = place.Open(options => options.LoggerFactory = logs);
        await RunAsync(handlesPlaced: false, RecordingReaction.Paid("a"));
        await RunAsync(handlesPlaced: true, RecordingReaction.Paid("a"));
        await RunAsync(handlesPlaced: false, RecordingReaction.Placed("a"));
        Assert.DoesNotContain(logs.Lines, static line => line.Id is TypeAdded or TypeRemoved);

        await RunAsync(handlesPlaced: true);
        var line = Assert.Single(logs.Lines, static line => line.Id is TypeAdded or TypeRemoved);
        Assert.Contains("handles the type placed now", line.Text, StringComparison.Ordinal);
        Assert.Contains("up to position 3,", line.Text, StringComparison.Ordinal);

        var begun = new TaskCompletionSource();
        await using (store.StartReactions([new RecordingReaction(ReactionStart.Beginning, (_, cancellationToken) =>
        {
            begun.SetResult();
            return Task.Delay(Timeout.Infinite, cancellationToken);
        })], quick))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"));
            await begun.Task;
        }
        await RunAsync(handlesPlaced: false);
        await RunAsync(handlesPlaced: false);
        Assert.Single(logs.Lines, static line => line.Id == TypeAdded);
        Assert.Contains("does not handle the type placed", Assert.Single(logs.Lines, static line => line.Id == TypeRemoved).Text,
            StringComparison.Ordinal);

        async Task RunAsync(bool handlesPlaced, params NewEvent[] events)
        {
            var reaction = new RecordingReaction(ReactionStart.Beginning, handlesPlaced: handlesPlaced);
            await using var running = store.StartReactions([reaction], quick);
            if (events.Length > 0)
                await AppendAsync(store, events);
            // The files of the former leader may say already that all is done.
            while (!(await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).IsLeader)
                await Task.Delay(1, TestContext.Current.CancellationToken);
            await running.WaitForAsync(await store.GetHeadAsync(TestContext.Current.CancellationToken), TestContext.Current.CancellationToken);
        }
    }

    [Fact]
    public async Task One_of_two_processes_handles_and_the_other_takes_over()
    {
        var (one, two) = (place.Open(), place.Open());
        var (first, second) = (new RecordingReaction(ReactionStart.Beginning), new RecordingReaction(ReactionStart.Beginning));
        var leading = one.StartReactions([first], quick);
        await AppendAsync(one, RecordingReaction.Placed("a"));
        await first.WaitForAsync(1);
        await using (two.StartReactions([second], quick))
        {
            await AppendAsync(two, RecordingReaction.Placed("b"));
            await first.WaitForAsync(2);
            await leading.DisposeAsync();
            await AppendAsync(one, RecordingReaction.Placed("c"));
            await second.WaitForAsync(1);
        }
        Assert.Equal([1, 2], first.Positions);
        Assert.Equal([(3, 1)], second.Handled.Select(each => (each.Position, each.Attempt)));
    }

    [Fact]
    public void Reaction_that_does_not_say_where_it_starts_is_refused()
    {
        var error = Assert.Throws<InvalidOperationException>(() => place.Open().StartReactions([new RecordingReaction(null)]));
        Assert.Contains("StartFrom(ReactionStart.Head)", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Append_of_a_handler_that_fails_afterwards_is_stored_once()
    {
        var store = place.Open();
        var results = new ConcurrentQueue<AppendResult>();
        var reaction = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            results.Enqueue(await context.AppendAsync(NewEvent.FromJson("mail-sent", "{}"), cancellationToken: cancellationToken));
            results.Enqueue(await context.AppendAsync(NewEvent.FromJson("noted", "{}"), cancellationToken: cancellationToken));
            if (context.Attempt < 3)
                throw new InvalidOperationException("after the appends");
        });
        await using (store.StartReactions([reaction], quick))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"));
            await reaction.WaitForAsync(1);
        }
        Assert.Equal(["placed", "mail-sent", "noted"], (await store.ReadAllAsync()).Select(e => e.Type));
        Assert.Equal(6, results.Count);
        Assert.Equal(2, results.Distinct().Count());
    }

    [Fact]
    public async Task Decision_of_a_handler_that_fails_afterwards_is_stored_once_and_reported()
    {
        var store = place.Open();
        var results = new ConcurrentQueue<AppendResult?>();
        var sent = DecisionProjection.Create(0).On("mail-sent", (count, _) => count + 1);
        var reaction = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            var result = await context.ExecuteDecisionAsync(sent, count => count == 0 ? [NewEvent.FromJson("mail-sent", "{}")] : [],
                cancellationToken: cancellationToken);
            results.Enqueue(result.Appended);
            if (context.Attempt < 3)
                throw new InvalidOperationException("after the decision");
        });
        await using (store.StartReactions([reaction], quick))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"));
            await reaction.WaitForAsync(1);
        }
        Assert.Equal(["placed", "mail-sent"], (await store.ReadAllAsync()).Select(e => e.Type));
        Assert.Equal([new AppendResult { FirstPosition = 2, LastPosition = 2 }, new AppendResult
        {
            FirstPosition = 2,
            LastPosition = 2,
        }, new AppendResult
        {
            FirstPosition = 2,
            LastPosition = 2,
        }], results);
    }

    [Fact]
    public async Task What_is_done_is_recorded_although_another_handler_hangs()
    {
        var store = place.Open();
        var reaction = new RecordingReaction(ReactionStart.Beginning, (context, cancellationToken) =>
            context.Event.Position == 1 ? Task.Delay(Timeout.Infinite, cancellationToken) : Task.CompletedTask);
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"), RecordingReaction.Placed("c"));
        await using (store.StartReactions([reaction], quick))
        {
            await reaction.WaitForAsync(2);
            while (ReadOpen() is not [(1, 1)])
                await Task.Delay(1, TestContext.Current.CancellationToken);
            Assert.Equal([2, 3], reaction.Positions.Order());
        }
    }

    [Fact]
    public async Task Stop_in_the_middle_of_a_read_loses_no_event()
    {
        var store = place.Open();
        IAsyncDisposable? runner = null;
        var stopped = new TaskCompletionSource<Task>();
        var first = new RecordingReaction(ReactionStart.Beginning, keyOf: e =>
        {
            if (e.Position == 5)
                stopped.SetResult(runner!.DisposeAsync().AsTask());
            return "one";
        });
        runner = store.StartReactions([first], new ReactionOptions { WriteInterval = TimeSpan.FromMinutes(1) });
        await AppendAsync(store, RecordingReaction.Placed("a"));
        await first.WaitForAsync(1);
        await AppendAsync(store, [.. Enumerable.Range(0, 2_000).Select(static _ => RecordingReaction.Placed("a"))]);
        await await stopped.Task;
        var next = new RecordingReaction(ReactionStart.Beginning);
        await using (place.Open().StartReactions([next], quick))
            await next.WaitForAsync(2_001 - first.Handled.Count);
        Assert.Equal(Enumerable.Range(1, 2_001).Select(static each => (long)each), first.Positions.Concat(next.Positions));
    }

    [Fact]
    public async Task Store_that_was_restored_to_a_time_before_the_checkpoint_halts_the_reaction()
    {
        var store = place.Open();
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        var reaction = new RecordingReaction(ReactionStart.Beginning);
        await using (store.StartReactions([reaction], quick))
            await reaction.WaitForAsync(2);
        var reactions = place.Snapshot(place.Layout.Reactions);
        place.CloseStores();
        using var other = StorePlace.InFolder();
        var restored = other.Open();
        await AppendAsync(restored, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        foreach (var (path, bytes) in reactions)
        {
            if (bytes is not null)
                other.Put(path.Replace(place.Root, other.Root, StringComparison.Ordinal), bytes);
        }
        var halted = new RecordingReaction(ReactionStart.Beginning);
        await using (restored.StartReactions([halted], quick))
        {
            while (other.Exists(Path.Combine(other.Layout.Reactions, "recording", "live.0000000001")))
                await Task.Delay(1, TestContext.Current.CancellationToken);
            await AppendAsync(restored, RecordingReaction.Placed("c"));
        }
        Assert.Empty(halted.Handled);
    }

    [Fact(Timeout = 60_000)]
    public async Task Problem_is_shown_while_a_handler_does_not_return_and_everything_is_handled_once_after_it()
    {
        using var disk = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var logs = new Logs();
        var store = disk.Open(options => options.LoggerFactory = logs);
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var end = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var reaction = new RecordingReaction(ReactionStart.Beginning, (context, _) =>
        {
            if (context.Event.Position != 1)
                return Task.CompletedTask;
            begun.TrySetResult();
            return end.Task;
        });
        await using var runner = store.StartReactions([reaction], quick);
        try
        {
            await AppendAsync(store, RecordingReaction.Placed("a"));
            await begun.Task;
            disk.Disk!.Fail(new Fault
            {
                When = static each => each.Kind == OperationKind.Write && each.Path.Contains("Reactions", StringComparison.Ordinal),
                Error = FileError.DiskFull,
                Lasts = true,
            });
            await AppendAsync(store, RecordingReaction.Placed("b"));
            await logs.SeenAsync(Troubled).WaitAsync(TestContext.Current.CancellationToken);
            FollowerProblem? problem;
            while ((problem = (await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).Problem) is null)
                await Task.Yield();
            Assert.Contains("still handling the event at position 1", problem.Error, StringComparison.Ordinal);
            disk.Disk.Mend();
        }
        finally
        {
            end.SetResult();
        }
        await reaction.WaitForAsync(2);

        Assert.Equal([1, 2], reaction.Positions);
        Assert.Single(logs.Lines, static line => line.Id == Troubled);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Event_that_cannot_be_read_holds_up_none_before_it_cancels_no_handler_and_is_shown()
    {
        using var disk = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var logs = new Logs();
        var store = disk.Open(options => options.LoggerFactory = logs);
        var end = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var reaction = new RecordingReaction(ReactionStart.Beginning, (context, cancellationToken) =>
            context.Event.Position == 1 ? end.Task.WaitAsync(cancellationToken) : Task.CompletedTask);
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"), RecordingReaction.Placed("c"));
        var segment = disk.Layout.Segment(0);
        var (bytes, file) = (disk.Bytes(segment), disk.Bytes(disk.Layout.EventFile(3)));
        disk.Patch(segment, bytes.AsSpan().LastIndexOf("\"type\""u8), new byte[4]);
        disk.Delete(disk.Layout.EventFile(3));
        await using var runner = store.StartReactions([reaction], quick);

        await reaction.WaitForAsync(1);
        await logs.SeenAsync(Troubled).WaitAsync(TestContext.Current.CancellationToken);
        while ((await StatusAsync()).Problem is null)
            await Task.Yield();
        Assert.Equal([2], reaction.Positions);
        Assert.Equal(2, (await StatusAsync()).Position);

        disk.Patch(segment, 0, bytes);
        disk.Put(disk.Layout.EventFile(3), file);
        while (await StatusAsync() is not { Problem: null, Position: 3 })
            await Task.Delay(1, TestContext.Current.CancellationToken);
        end.SetResult();
        await store.Reactions["recording"].WaitForAsync(3, TestContext.Current.CancellationToken);

        Assert.Equal([(1L, 1), (2L, 1), (3L, 1)], reaction.Handled.Select(static each => (each.Position, each.Attempt)).Order());
        Assert.Single(logs.Lines, static line => line.Id == Troubled);

        Task<ReactionStatus> StatusAsync() => store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken);
    }

    [Fact(Timeout = 60_000)]
    public async Task Scheduled_event_that_cannot_be_appended_for_now_cancels_no_handler_and_is_shown()
    {
        using var disk = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var logs = new Logs();
        var store = disk.Open(options => options.LoggerFactory = logs);
        var end = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var reaction = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            disk.Disk!.Fail(new Fault
            {
                When = static each => each.Kind == OperationKind.CreateNew && each.Path.Contains("/Events/", StringComparison.Ordinal),
                Error = FileError.DiskFull,
                Lasts = true,
            });
            await context.ScheduleAsync(DateTimeOffset.MinValue, NewEvent.FromJson("due", "{}"), cancellationToken: cancellationToken);
            await end.Task.WaitAsync(cancellationToken);
        });
        await using var runner = store.StartReactions([reaction], quick);
        await AppendAsync(store, RecordingReaction.Placed("a"));
        await logs.SeenAsync(NotAppendedYet).WaitAsync(TestContext.Current.CancellationToken);
        while ((await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).Problem is null)
            await Task.Yield();
        disk.Disk!.Mend();
        await NextEventAsync(store, after: 1);
        while ((await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).Problem is not null)
            await Task.Yield();
        end.SetResult();
        await reaction.WaitForAsync(1);

        Assert.Equal([(1L, 1)], reaction.Handled.Select(static each => (each.Position, each.Attempt)));
        Assert.Single(logs.Lines, static line => line.Id == NotAppendedYet);
    }

    [Fact(Timeout = 60_000)]
    public async Task Scheduled_event_whose_append_waits_for_the_lock_keeps_no_event_from_being_handled()
    {
        using var disk = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var client = disk.Attach();
        var clock = new TestClock();
        using var store = disk.Open(options => (options.LockTimeout, options.TimeProvider) = (TimeSpan.FromDays(1), clock));
        using var lockFile = client.Open(disk.Layout.LockFile, FileOpening.Lock)!;
        var scheduled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var retried = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var reaction = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            if (context.Event.Position == 1)
            {
                Assert.True(lockFile.TryLock(StoreLayout.LockOffset));
                await context.ScheduleAsync(DateTimeOffset.MinValue, NewEvent.FromJson("due", "{}"), cancellationToken: cancellationToken);
                scheduled.SetResult();
                return;
            }
            await scheduled.Task.WaitAsync(cancellationToken);
            if (context.Attempt == 1)
                throw new InvalidOperationException("It is retried.");
            retried.TrySetResult();
        });
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        await using var runner = store.StartReactions([reaction], quick);

        while (!retried.Task.IsCompleted)
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }

        Assert.Equal(2, await store.GetHeadAsync(TestContext.Current.CancellationToken));
        lockFile.Unlock(StoreLayout.LockOffset);
        await NextEventAsync(store, after: 2);
    }

    // Only a checkpoint that is whole: the other may be being written.
    private List<(long From, long To)> ReadOpen()
    {
        var layout = new ReactionLayout(place.Layout.Reactions, "recording");
        using var files = place.Attach();
        return layout.List(files, ReactionLayout.Live) is [.., var number]
            && CheckpointFiles.Read(files, layout.Folder(ReactionLayout.Live, number), out _) is { } checkpoint
            ? [.. checkpoint.Open]
            : [];
    }

    private static ValueTask<SequencedEvent> NextEventAsync(FileSystemEventStore store, long after) =>
        store.SubscribeAsync(Query.All, after).FirstAsync(TestContext.Current.CancellationToken);

    private static Task<AppendResult> AppendAsync(FileSystemEventStore store, params NewEvent[] events) =>
        store.AppendAsync(events, cancellationToken: TestContext.Current.CancellationToken);
}
