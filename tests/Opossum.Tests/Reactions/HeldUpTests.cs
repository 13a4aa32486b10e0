using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Reactions;

/// <summary>What one event, key or file that is in a bad way holds up, and what it does not.</summary>
public sealed class HeldUpTests : IDisposable
{
    private const int Troubled = 124, FileProblem = 135;

    private readonly StorePlace place = StorePlace.InFolder();
    private readonly HashSet<long> failing = [];

    public void Dispose() => place.Dispose();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory(Timeout = 60_000)]
    [InlineData(1, 4)]
    [InlineData(4, 1)]
    public async Task A_key_waits_until_none_of_its_parked_events_is_left(long first, long second)
    {
        var store = place.Open();
        failing.UnionWith([1, 4]);
        await using (store.StartReactions([new RecordingReaction(ReactionStart.Beginning, FailAsync, continues: true)], Quick()))
        {
            await AppendAsync(store, [.. Enumerable.Range(1, 3).Select(static _ => RecordingReaction.Placed("a"))]);
            await store.Reactions["recording"].WaitForAsync(3, Cancellation);
        }
        var next = NewReaction();
        await using (store.StartReactions([next], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("a"));
            await store.Reactions["recording"].WaitForAsync(5, Cancellation);
            // By now it is one for which its key waits.
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(5, Cancellation);
        }
        var last = NewReaction();
        await using (store.StartReactions([last], Quick()))
        {
            await store.Reactions["recording"].SkipAsync(first, "It is no mail.", cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(5, Cancellation);
            Assert.Empty(last.Handled);
            failing.Clear();
            await store.Reactions["recording"].RetryAsync(second, cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(5, Cancellation);
        }

        Assert.Empty(next.Handled);
        Assert.Equal([second, 5], last.Positions);
    }

    [Theory(Timeout = 60_000)]
    [InlineData("123")]
    [InlineData("2")]
    [InlineData("1")]
    public async Task Events_that_wait_and_whose_key_cannot_be_told_any_more_wait_for_an_app_that_can_tell(string without)
    {
        var store = place.Open();
        failing.Add(1);
        await using (store.StartReactions([new RecordingReaction(ReactionStart.Beginning, FailAsync, keyOf: static _ => "one")], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("a"), RecordingReaction.Paid("a"));
            await store.Reactions["recording"].WaitForAsync(3, Cancellation);
        }
        var next = new RecordingReaction(ReactionStart.Beginning,
            keyOf: e => without.Contains($"{e.Position}", StringComparison.Ordinal) ? throw new FormatException("no key") : "one");
        await using (store.StartReactions([next], Quick()))
        {
            await store.Reactions["recording"].SkipAsync(1, "It is no mail.", cancellationToken: Cancellation);
            await AppendAsync(store, RecordingReaction.Paid("a"));
            if (without == "1")
                await store.Reactions["recording"].WaitForAsync(4, Cancellation);
            else
                Assert.Contains("The key of the event at position 2 cannot be told: no key", await FindProblemAsync(store), StringComparison.Ordinal);
        }
        Assert.Empty((await store.Reactions["recording"].GetStatusAsync(Cancellation)).Parked);
        var last = new RecordingReaction(ReactionStart.Beginning, keyOf: static _ => "one");
        await using (store.StartReactions([last], Quick()))
            await store.Reactions["recording"].WaitForAsync(4, Cancellation);

        Assert.Equal([2, 3, 4], next.Positions.Concat(last.Positions));
    }

    [Fact(Timeout = 60_000)]
    public async Task Events_that_were_handled_are_not_parked_because_their_key_cannot_be_told_any_more()
    {
        var store = place.Open();
        failing.Add(1);
        var first = new RecordingReaction(ReactionStart.Beginning, FailAsync, keyOf: static e => e.Tags[0].Value);
        await using (store.StartReactions([first], Quick()))
        {
            await AppendAsync(store, [.. "abab".Select(static key => RecordingReaction.Placed($"{key}"))]);
            await store.Reactions["recording"].WaitForAsync(4, Cancellation);
        }
        var next = new RecordingReaction(ReactionStart.Beginning, keyOf: static _ => throw new FormatException("no key"));
        await using (store.StartReactions([next], Quick()))
        {
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(4, Cancellation);
            Assert.Equal([1], (await store.Reactions["recording"].GetStatusAsync(Cancellation)).Parked);
        }
        failing.Clear();
        var last = new RecordingReaction(ReactionStart.Beginning, keyOf: static e => e.Tags[0].Value);
        await using (store.StartReactions([last], Quick()))
        {
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(4, Cancellation);
        }

        Assert.Equal([2, 4], first.Positions);
        Assert.Equal([1, 3], last.Positions);
    }

    [Fact(Timeout = 60_000)]
    public async Task An_open_event_that_is_damaged_holds_up_only_what_comes_after_it_and_is_the_reactions_problem()
    {
        var store = place.Open();
        await LeaveFailingAsync(store, "abcd", 1, 2, 3, 4);
        failing.Clear();
        var mend = place.Damage(2);
        var next = NewReaction();
        await using (store.StartReactions([next], Quick(retries: 100)))
        {
            await AppendAsync(store, RecordingReaction.Placed("e"));
            Assert.Contains("0000000002", await FindProblemAsync(store), StringComparison.Ordinal);
            await store.Reactions["recording"].WaitForAsync(1, Cancellation);
            Assert.Equal([1], next.Positions);
        }
        // What waits is not lost with the leader that waits.
        Assert.Equal(1, (await store.Reactions["recording"].GetStatusAsync(Cancellation)).Open);
        var last = NewReaction();
        await using (store.StartReactions([last], Quick(retries: 100)))
        {
            Assert.Contains("0000000002", await FindProblemAsync(store), StringComparison.Ordinal);
            mend();
            await store.Reactions["recording"].WaitForAsync(5, Cancellation);
            Assert.Null((await store.Reactions["recording"].GetStatusAsync(Cancellation)).Problem);
        }

        Assert.Equal([2, 3, 4, 5], last.Positions.Order());
        Assert.All(last.Handled.Where(static each => each.Position < 5), static each => Assert.Equal(2, each.Attempt));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_damaged_event_is_logged_once_however_often_the_lead_is_taken()
    {
        using var logs = new Logs();
        var store = place.Open(options => options.LoggerFactory = logs);
        await using var running = store.StartReactions([NewReaction()], Quick());
        await AppendAsync(store, RecordingReaction.Placed("a"));
        await store.Reactions["recording"].WaitForAsync(1, Cancellation);
        await AppendAsync(store, RecordingReaction.Placed("b"));
        await store.Reactions["recording"].WaitForAsync(2, Cancellation);
        var mend = place.Damage(2);
        for (var terms = 0; terms < 3; terms++)
        {
            // It ends the term.
            await store.Reactions["recording"].HandleAgainAsync(0, cancellationToken: Cancellation);
            Assert.Contains("0000000002", await FindProblemAsync(store), StringComparison.Ordinal);
        }
        mend();
        await store.Reactions["recording"].WaitForAsync(2, Cancellation);

        Assert.Single(logs.Lines, static line => line.Id == Troubled);
    }

    [Fact(Timeout = 60_000)]
    public async Task An_open_event_that_is_damaged_and_later_ones_wait_for_a_parked_one_of_their_key()
    {
        var store = place.Open();
        await LeaveFailingAsync(store, "abaa", 1, 2);
        failing.Remove(2);
        var mend = place.Damage(3);
        var next = new RecordingReaction(ReactionStart.Beginning, FailAsync, parkedAt: static _ => true);
        await using (store.StartReactions([next], Quick(retries: 100)))
        {
            Assert.Contains("0000000003", await FindProblemAsync(store), StringComparison.Ordinal);
            await store.Reactions["recording"].WaitForAsync(2, Cancellation);
            mend();
            await store.Reactions["recording"].WaitForAsync(4, Cancellation);
            Assert.Equal([2], next.Positions);
            failing.Clear();
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(4, Cancellation);
        }

        Assert.Equal([2, 1, 3, 4], next.Positions);
    }

    [Fact]
    public void An_event_that_may_have_ended_a_process_and_was_mended_is_not_begun_beside_another_one()
    {
        using var simulated = StorePlace.On(VolumeKind.Ext4);
        var (disk, clock, begins) = (simulated.Disk!, (SimulatedClock)simulated.Clock, new List<SteppedReaction.Begin>());
        var client = disk.Attach();
        var process = new SteppedReaction(client, begins, context =>
        {
            if (context.Event.Position == 2)
                client.Kill();
            throw new InvalidOperationException("no mail server");
        }, retries: 1, retryDelay: TimeSpan.FromSeconds(20));
        process.Append(RecordingReaction.Placed("a"));
        process.Step();
        process.Step();
        process.Append(RecordingReaction.Placed("b"), NewEvent.FromJson("other", "{}"));
        Attempt.UntilTheEnd(() => process.Step());
        var mend = simulated.Damage(2);
        var next = disk.Attach();
        process = new SteppedReaction(next, begins, context =>
        {
            Assert.Equal(1, context.Event.Position);
            mend();
            clock.Advance(TimeSpan.FromMinutes(1));
            process.Step();
            next.Kill();
        }, retries: 1);
        Attempt.UntilTheEnd(() => process.Step());
        Assert.True(next.IsKilled);
        var last = new SteppedReaction(disk.Attach(), begins, retries: 1);
        last.Run();

        Assert.Equal([1], last.Parked);
        Assert.Equal([2], last.Sent());
    }

    [Fact]
    public void A_key_that_waits_and_cannot_be_read_holds_up_no_key_that_is_free_later()
    {
        using var simulated = StorePlace.On(VolumeKind.Ext4);
        var begins = new List<SteppedReaction.Begin>();
        var process = new SteppedReaction(simulated.Disk!.Attach(), begins, static context =>
        {
            if (context.Event.Position <= 2)
                throw new InvalidOperationException("no mail server");
        }, retries: 0);
        process.Append([.. "abab".Select(static key => RecordingReaction.Placed($"{key}"))]);
        process.Run();
        var mend = simulated.Damage(3);
        foreach (var position in (long[])[1, 2])
        {
            process.Request(LeaderRequest.Skip(position, "It is no mail."));
            process.CarryOutRequests();
        }
        Assert.Equal([1, 2, 4], begins.Select(static each => each.Position));

        mend();
        ((SimulatedClock)simulated.Clock).Advance(TimeSpan.FromMinutes(1));
        process.Run();
        Assert.Equal([4, 3], process.Sent());
    }

    [Fact(Timeout = 60_000)]
    public async Task A_retry_while_an_open_event_is_damaged_waits_and_repeats_no_event_that_was_handled()
    {
        var store = place.Open();
        failing.UnionWith([1, 2]);
        var options = Quick(retries: 100);
        options.RetryDelay = TimeSpan.FromSeconds(30);
        var first = new RecordingReaction(ReactionStart.Beginning, FailAsync, continues: true,
            parkedAt: static e => e.Message.EndsWith("for 1.", StringComparison.Ordinal));
        await using (store.StartReactions([first], options))
        {
            await AppendAsync(store, [.. "aba".Select(static key => RecordingReaction.Placed($"{key}"))]);
            await first.WaitForAsync(1);
            while (await store.Reactions["recording"].GetStatusAsync(Cancellation) is not { Failing: 1, Parked: [1] })
                await Task.Yield();
        }
        failing.Remove(2);
        var mend = place.Damage(2);
        await store.Reactions["recording"].RetryAsync(1, wait: false, Cancellation);
        var next = new RecordingReaction(ReactionStart.Beginning, FailAsync, parkedAt: static _ => true);
        await using (store.StartReactions([next], Quick(retries: 100)))
        {
            Assert.Contains("0000000002", await FindProblemAsync(store), StringComparison.Ordinal);
            // A retry that begins all the same has failed by then.
            while (await store.Reactions["recording"].GetStatusAsync(Cancellation) is { OpenRequests: 0, Parked: [] })
                await Task.Yield();
            mend();
            // A status reads the requests last.
            while (await store.Reactions["recording"].GetStatusAsync(Cancellation) is not { OpenRequests: 0 })
                await Task.Yield();
            while (await store.Reactions["recording"].GetStatusAsync(Cancellation) is not { Open: 0, Parked: [1] })
                await Task.Yield();
            failing.Clear();
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(3, Cancellation);
        }

        Assert.Equal([3], first.Positions);
        Assert.Equal([2, 1], next.Positions);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_request_that_cannot_be_carried_out_for_now_is_the_reactions_problem_until_it_is()
    {
        var store = place.Open();
        failing.Add(1);
        await using var running = store.StartReactions([NewReaction()], Quick());
        await AppendAsync(store, RecordingReaction.Placed("a"));
        await store.Reactions["recording"].WaitForAsync(1, Cancellation);
        var skipped = new ReactionLayout(place.Layout.Reactions, "recording").SkippedFile(1);
        // No file takes the name of a folder.
        Directory.CreateDirectory(skipped);
        await store.Reactions["recording"].SkipAsync(1, "It is no mail.", wait: false, Cancellation);
        Assert.Contains(skipped, await FindProblemAsync(store), StringComparison.Ordinal);

        Directory.Delete(skipped);
        while (await store.Reactions["recording"].GetStatusAsync(Cancellation) is not { OpenRequests: 0, Problem: null, Parked: [] })
            await Task.Yield();
    }

    [Fact(Timeout = 60_000)]
    public async Task A_request_that_cannot_be_read_and_is_removed_is_no_problem_any_more()
    {
        var request = new ReactionLayout(place.Layout.Reactions, "recording").RequestFile(Guid.NewGuid());
        var store = place.Open();
        await using var running = store.StartReactions([NewReaction()], Quick());
        // No folder is read as a file.
        Directory.CreateDirectory(request);
        Assert.Contains(request, await FindProblemAsync(store), StringComparison.Ordinal);

        Directory.Delete(request);

        while ((await store.Reactions["recording"].GetStatusAsync(Cancellation)).Problem is not null)
            await Task.Yield();
    }

    [Fact(Timeout = 60_000)]
    public async Task Requests_that_cannot_be_listed_are_the_reactions_problem_until_they_can_be_and_events_are_handled()
    {
        using var simulated = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var logs = new Logs();
        var store = simulated.Open(options => options.LoggerFactory = logs);
        failing.Add(1);
        var reaction = NewReaction();
        await using var running = store.StartReactions([reaction], Quick());
        await AppendAsync(store, RecordingReaction.Placed("a"));
        await store.Reactions["recording"].WaitForAsync(1, Cancellation);
        var requests = new ReactionLayout(simulated.Layout.Reactions, "recording").Requests;
        var fault = new Fault
        {
            When = each => each.Kind == OperationKind.List && each.Path == requests,
            Error = FileError.AccessDenied,
            Lasts = true,
        };
        simulated.Disk!.Fail(fault);
        await store.Reactions["recording"].SkipAsync(1, "It is no mail.", wait: false, Cancellation);
        Assert.Contains(requests, await FindProblemAsync(store), StringComparison.Ordinal);
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        await store.Reactions["recording"].WaitForAsync(3, Cancellation);
        Assert.Equal([3], reaction.Positions);

        simulated.Disk.Mend();
        while (await store.Reactions["recording"].GetStatusAsync(Cancellation) is not { OpenRequests: 0, Problem: null, Parked: [] })
            await Task.Yield();
        await store.Reactions["recording"].WaitForAsync(3, Cancellation);
        Assert.Equal([3, 2], reaction.Positions);
        Assert.Single(logs.Lines, static line => line.Id == Troubled);
        simulated.Disk.Fail(fault);
        while (logs.Lines.Count(static line => line.Id == Troubled) < 2)
            await Task.Yield();
        Assert.DoesNotContain(logs.Lines, static line => line.Id == FileProblem);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_leader_continues_after_an_event_that_was_damaged_since()
    {
        var store = place.Open();
        var first = NewReaction();
        await using (store.StartReactions([first], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
            await store.Reactions["recording"].WaitForAsync(2, Cancellation);
        }
        place.Damage(2);
        await AppendAsync(store, RecordingReaction.Placed("c"));
        var next = NewReaction();
        await using (store.StartReactions([next], Quick()))
            await store.Reactions["recording"].WaitForAsync(3, Cancellation);

        Assert.Equal([3], next.Positions);
    }

    // Appends an event of each key, and leaves those at some positions failed once and open.
    private async Task LeaveFailingAsync(FileSystemEventStore store, string keys, params long[] positions)
    {
        failing.UnionWith(positions);
        var options = Quick(retries: 100);
        options.RetryDelay = TimeSpan.FromSeconds(30);
        await using var running = store.StartReactions([NewReaction()], options);
        await AppendAsync(store, [.. keys.Select(static key => RecordingReaction.Placed($"{key}"))]);
        while ((await store.Reactions["recording"].GetStatusAsync(Cancellation)).Failing < positions.Length)
            await Task.Yield();
    }

    private static async Task<string> FindProblemAsync(FileSystemEventStore store)
    {
        while (true)
        {
            if ((await store.Reactions["recording"].GetStatusAsync(Cancellation)).Problem is { } problem)
                return problem.Error;
            await Task.Yield();
        }
    }

    private static ReactionOptions Quick(int retries = 0) => new()
    {
        RetryDelay = TimeSpan.Zero,
        MaxRetryAttempts = retries,
        TakeOverInterval = TimeSpan.FromMilliseconds(10),
        PollInterval = TimeSpan.FromMilliseconds(10),
    };

    private static Task<AppendResult> AppendAsync(FileSystemEventStore store, params NewEvent[] events) =>
        store.AppendAsync(events, cancellationToken: Cancellation);

    private RecordingReaction NewReaction() => new(ReactionStart.Beginning, FailAsync);

    private Task FailAsync(ReactionContext context, CancellationToken cancellationToken) => failing.Contains(context.Event.Position)
        ? throw new InvalidOperationException($"No mail server for {context.Event.Position}.")
        : Task.CompletedTask;
}
