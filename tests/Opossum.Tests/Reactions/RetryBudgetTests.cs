using Opossum.Reactions.Files;
using Opossum.Reactions.Running;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Begin = Opossum.Tests.Reactions.SteppedReaction.Begin;

namespace Opossum.Tests.Reactions;

/// <summary>The retries of an event are counted in all processes that have tried it.</summary>
public sealed class RetryBudgetTests
{
    private readonly SimulatedDisk disk = new(VolumeKind.Ext4, new SimulatedClock());
    private readonly List<Begin> begins = [];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Event_that_fails_in_one_process_after_another_is_parked(bool inOrder)
    {
        for (var processes = 0; processes < 3; processes++)
        {
            var process = new SteppedReaction(disk.Attach(), begins, static _ => throw new InvalidOperationException("no mail server"), retries: 2,
                retryDelay: TimeSpan.FromSeconds(20));
            if (processes == 0)
                process.Append(RecordingReaction.Placed("a"));
            process.Step();
            process.Step();
            if (inOrder)
                process.Stop();
            else
                process.Client.Kill();
        }
        var last = new SteppedReaction(disk.Attach(), begins);

        Assert.Equal([new(1, 1), new(1, 2), new(1, 3)], begins);
        Assert.Equal([1], last.Parked);
        Assert.Equal(3, ParkedFile.Read(last.Client, last.Layout, 1).Attempts[^1].Number);
    }

    [Theory]
    [InlineData(0, 2)]
    [InlineData(2, 3)]
    public void Event_that_ends_its_process_at_every_attempt_is_parked_and_no_other_event_is(int retries, int attempts)
    {
        SteppedReaction process = null!;
        for (var processes = 0; processes < 10; processes++)
        {
            process = NewProcess(retries);
            if (processes == 0)
                process.Append([.. new[] { "a", "b", "b", "c", "b" }.Select(RecordingReaction.Placed)]);
            Attempt.UntilTheEnd(process.Run);
            if (!process.Client.IsKilled)
                break;
        }

        Assert.False(process.Client.IsKilled);
        Assert.Equal(Enumerable.Range(1, attempts).Select(static each => new Begin(2, each)), begins.Where(static each => each.Position == 2));
        Assert.Equal([2], process.Parked);
        var parked = ParkedFile.Read(process.Client, process.Layout, 2).Attempts[^1];
        Assert.Equal(attempts, parked.Number);
        Assert.Contains($"Attempt {attempts} ended with its process", parked.Error, StringComparison.Ordinal);
        Assert.Equal([1, 4], process.Sent());
        process.Stop();

        // Those of its key wait for it, and have all their attempts; so has a retry that is asked for.
        var failures = 0;
        var next = new SteppedReaction(disk.Attach(), begins, context =>
        {
            if (context.Event.Position is 2 or 3 && failures++ % 3 < 2)
                throw new InvalidOperationException("no mail server");
        }, retries: 2);
        next.Run();
        Assert.Equal([1, 4], next.Sent());
        next.Ask(static term => term.TryRetryAsync(2, CancellationToken.None).AsTask());
        next.Run();
        Assert.Equal([1, 4, 2, 3, 5], next.Sent());
        Assert.Contains(new Begin(2, attempts + 1), begins);
    }

    [Fact]
    public void A_retry_that_is_due_causes_no_step_while_another_event_is_handled_alone()
    {
        var client = disk.Attach();
        var dying = new SteppedReaction(client, begins, _ => client.Kill());
        dying.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        Attempt.UntilTheEnd(dying.Run);
        SteppedReaction next = null!;
        var wait = TimeSpan.Zero;
        next = new SteppedReaction(disk.Attach(), begins, context =>
        {
            if (context.Event.Position == 1 && context.Attempt == 2)
                throw new InvalidOperationException("It is retried.");
            // It takes until the retry is due.
            if (context.Event.Position == 2)
            {
                next.Step();
                wait = next.Step();
            }
        }, retries: 1);
        next.Run();

        Assert.Equal([1, 1, 2, 1], begins.Select(static each => each.Position));
        Assert.NotEqual(TimeSpan.Zero, wait);
    }

    [Fact]
    public void A_retry_on_request_waits_while_another_event_is_handled_alone()
    {
        var client = disk.Attach();
        var dying = new SteppedReaction(client, begins, context =>
        {
            if (context.Event.Position > 1)
                client.Kill();
            throw new InvalidOperationException("no mail server");
        }, retries: 1);
        dying.Append(RecordingReaction.Placed("a"));
        dying.Run();
        dying.Append(RecordingReaction.Placed("b"));
        Attempt.UntilTheEnd(dying.Run);
        Exception? refusal = null;
        SteppedReaction next = null!;
        next = new SteppedReaction(disk.Attach(), begins, context =>
        {
            if (context.Event.Position == 2)
                refusal = Record.Exception(() => next.Ask(static term => term.TryRetryAsync(1, CancellationToken.None).AsTask()));
        }, retries: 1);
        next.Run();

        Assert.IsType<RequestDelayedException>(refusal);
        next.Ask(static term => term.TryRetryAsync(1, CancellationToken.None).AsTask());
        Assert.Equal([2, 1], next.Sent());
    }

    [Fact]
    public async Task Host_that_is_stopped_in_order_costs_no_attempt()
    {
        using var place = StorePlace.InFolder();
        var store = place.Open();
        await store.AppendAsync([RecordingReaction.Placed("a")], cancellationToken: TestContext.Current.CancellationToken);
        var options = new ReactionOptions { MaxRetryAttempts = 1, RetryDelay = TimeSpan.Zero };
        for (var stops = 1; stops <= 3; stops++)
        {
            var begun = new TaskCompletionSource<int>();
            var stopped = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
            {
                begun.SetResult(context.Attempt);
                await Task.Delay(Timeout.Infinite, cancellationToken);
            });
            await using (store.StartReactions([stopped], options))
                Assert.Equal(stops, await begun.Task);
        }
        var last = new RecordingReaction(ReactionStart.Beginning,
            static (context, _) => context.Attempt < 5 ? throw new InvalidOperationException("once") : Task.CompletedTask);
        await using var running = store.StartReactions([last], options);
        await running.WaitForAsync(1, TestContext.Current.CancellationToken);

        Assert.Equal([(1, 5)], last.Handled.Select(static each => (each.Position, each.Attempt)));
    }

    // A process that the handler of the event 2 ends.
    private SteppedReaction NewProcess(int retries)
    {
        var client = disk.Attach();
        return new SteppedReaction(client, begins, context =>
        {
            if (context.Event.Position == 2)
                client.Kill();
        }, retries);
    }
}
