using System.Text.Json;
using Opossum.Reactions.Files;

namespace Opossum.Tests.Reactions;

/// <summary>Events that no retry could handle: put aside, readable, and what becomes of them.</summary>
public sealed class ParkingTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolder();
    private readonly HashSet<long> failing = [];

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Event_that_fails_at_all_attempts_is_parked_and_described_and_holds_its_key_only()
    {
        var store = place.Open();
        failing.Add(1);
        var reaction = NewReaction();
        await using var runner = store.StartReactions([reaction], Quick(retries: 2));
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("a"), RecordingReaction.Placed("b"));
        await WaitUntilParkedAsync(store, 1);
        await reaction.WaitForAsync(1);
        var status = await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken);
        Assert.Equal((FollowerPhase.Running, 3, 0, 1), (status.Phase, status.Position, status.Open, status.Parked.Count));
        Assert.Equal([3], reaction.Positions);

        var parked = Assert.Single(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken));
        Assert.Equal((1L, "placed", "a", true), (parked.Position, parked.Type, parked.Key, parked.KeyWaits));
        Assert.Equal([1, 2, 3], parked.Attempts.Select(each => each.Number));
        Assert.Contains("InvalidOperationException: No mail server for 1.", parked.Attempts[0].Error, StringComparison.Ordinal);
        using var file = JsonDocument.Parse(await File.ReadAllTextAsync(ParkedFilePath(1), TestContext.Current.CancellationToken));
        Assert.Equal("placed", file.RootElement.GetProperty("type").GetString());
    }

    [Fact]
    public async Task Retried_event_is_handled_and_those_that_waited_for_it_after_it_in_order()
    {
        var store = place.Open();
        failing.Add(1);
        var reaction = NewReaction();
        await using var runner = store.StartReactions([reaction], Quick());
        await AppendAsync(store, [RecordingReaction.Placed("a"), .. Enumerable.Range(0, 600).Select(_ => RecordingReaction.Paid("a"))]);
        await WaitUntilParkedAsync(store, 1);
        await AppendAsync(store, RecordingReaction.Paid("a"), RecordingReaction.Paid("b"));
        await reaction.WaitForAsync(1);

        failing.Clear();
        await store.Reactions["recording"].RetryAsync(1, cancellationToken: TestContext.Current.CancellationToken);
        await AppendAsync(store, RecordingReaction.Paid("a"));
        await reaction.WaitForAsync(604);
        Assert.Equal([603, .. Enumerable.Range(1, 602).Select(each => (long)each), 604], reaction.Positions);
        Assert.Equal(2, reaction.Handled.Single(each => each.Position == 1).Attempt);
        Assert.Empty(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken));
        Assert.False(File.Exists(ParkedFilePath(1)));
    }

    [Fact]
    public async Task Key_by_a_function_goes_on_after_a_skip_and_the_skip_is_recorded()
    {
        var store = place.Open();
        failing.Add(2);
        var reaction = new RecordingReaction(ReactionStart.Beginning, FailAsync, keyOf: static e => e.Type, parkedAt: static _ => true);
        await using var runner = store.StartReactions([reaction], Quick());
        await AppendAsync(store, [RecordingReaction.Placed("a"), RecordingReaction.Paid("a"), .. Enumerable.Range(0, 300).Select(at =>
            at % 2 == 0 ? RecordingReaction.Placed("b") : RecordingReaction.Paid("b"))]);
        await WaitUntilParkedAsync(store, 1);
        await reaction.WaitForAsync(151);
        await store.Reactions["recording"].SkipAsync(2, "the customer was called", cancellationToken: TestContext.Current.CancellationToken);
        await reaction.WaitForAsync(301);
        Assert.Equal(Enumerable.Range(2, 150).Select(each => 2L * each), reaction.Positions.Where(each => each % 2 == 0));
        var stored = await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken);
        Assert.Empty(stored.Parked);
        Assert.Equal([2], stored.Skipped);
        var skipped = await File.ReadAllTextAsync(Path.Combine(place.Layout.Reactions, "recording", "skipped", "0000000002.json"),
            TestContext.Current.CancellationToken);
        Assert.Contains("the customer was called", skipped, StringComparison.Ordinal);
        Assert.Contains("No mail server for 2.", skipped, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Key_that_goes_on_does_not_wait()
    {
        var store = place.Open();
        failing.Add(1);
        var reaction = new RecordingReaction(ReactionStart.Beginning, FailAsync, continues: true);
        await using var runner = store.StartReactions([reaction], Quick());
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("a"));
        await reaction.WaitForAsync(1);
        await WaitUntilParkedAsync(store, 1);
        Assert.Equal([2], reaction.Positions);
    }

    [Fact]
    public async Task Lasting_error_parks_at_once()
    {
        var store = place.Open();
        failing.Add(1);
        var reaction = new RecordingReaction(ReactionStart.Beginning, FailAsync, parkedAt: static error => error is InvalidOperationException);
        await using var runner = store.StartReactions([reaction], Quick(retries: 1_000_000));
        await AppendAsync(store, RecordingReaction.Placed("a"));
        await WaitUntilParkedAsync(store, 1);
        Assert.Single((await store.Reactions["recording"].ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken))[0].Attempts);
    }

    [Fact]
    public async Task Event_whose_key_cannot_be_told_is_parked_alone()
    {
        var store = place.Open();
        var reaction = new RecordingReaction(ReactionStart.Beginning, keyOf: static e => e.Position == 1 ? throw new FormatException("no key") : "one");
        await using var runner = store.StartReactions([reaction], Quick());
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("a"));
        await reaction.WaitForAsync(1);
        await WaitUntilParkedAsync(store, 1);
        Assert.Contains("no key", (await store.Reactions["recording"].ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken))[0].Attempts[^1].Error,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Next_leader_keeps_what_is_parked_and_what_waits_for_it()
    {
        var store = place.Open();
        failing.Add(1);
        await using (var runner = store.StartReactions([NewReaction()], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("a"));
            await WaitUntilParkedAsync(store, 1);
        }
        // Nobody leads: the request stays until somebody does.
        var other = place.Open();
        Assert.Equal(["recording"], await other.Reactions.ListAsync(TestContext.Current.CancellationToken));
        failing.Clear();
        await other.Reactions["recording"].RetryAsync(1, wait: false, TestContext.Current.CancellationToken);
        Assert.Equal(1, (await other.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).OpenRequests);
        var next = NewReaction();
        await using (other.StartReactions([next], Quick()))
            await next.WaitForAsync(2);
        Assert.Equal([1, 2], next.Positions);
    }

    [Fact]
    public async Task Events_that_wait_are_handled_although_the_reaction_has_another_key_by_now()
    {
        var store = place.Open();
        failing.Add(1);
        await using (store.StartReactions([new RecordingReaction(ReactionStart.Beginning, FailAsync, isKeyed: false)], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("b"), RecordingReaction.Paid("a"));
            await WaitUntilParkedAsync(store, 1);
        }
        failing.Clear();
        var keyed = NewReaction();
        await using (store.StartReactions([keyed], Quick()))
        {
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: TestContext.Current.CancellationToken);
            await AppendAsync(store, RecordingReaction.Paid("c"));
            await store.Reactions["recording"].WaitForAsync(4, TestContext.Current.CancellationToken);
        }

        Assert.Equal([1, 2, 3, 4], keyed.Positions.Order());
        Assert.Equal([2, 2], keyed.Handled.Where(static each => each.Position is 2 or 3).Select(static each => each.Attempt));
    }

    [Fact]
    public async Task Events_that_wait_are_handled_although_the_parked_one_has_the_same_key_and_they_have_others_by_now()
    {
        var store = place.Open();
        failing.Add(1);
        await using (store.StartReactions([new RecordingReaction(ReactionStart.Beginning, FailAsync, isKeyed: false)], Quick()))
        {
            await AppendAsync(store, NewEvent.FromJson("placed", "{}"), RecordingReaction.Paid("a"), RecordingReaction.Paid("b"));
            await WaitUntilParkedAsync(store, 1);
        }
        failing.Clear();
        var keyed = NewReaction();
        await using (store.StartReactions([keyed], Quick()))
        {
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: TestContext.Current.CancellationToken);
            await store.Reactions["recording"].WaitForAsync(3, TestContext.Current.CancellationToken);
        }

        Assert.Equal([1, 2, 3], keyed.Positions.Order());
    }

    [Fact(Timeout = 60_000)]
    public async Task Event_that_is_handled_again_since_it_had_another_key_is_told_that_it_is_not_the_first_attempt()
    {
        var store = place.Open();
        failing.Add(1);
        var options = Quick(retries: 100);
        options.RetryDelay = TimeSpan.FromSeconds(30);
        var first = NewReaction();
        await using (store.StartReactions([first], options))
        {
            await AppendAsync(store, [.. "abab".Select(static key => RecordingReaction.Placed($"{key}"))]);
            await first.WaitForAsync(2);
            while (await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken) is not { Failing: 1 })
                await Task.Yield();
        }
        var next = new RecordingReaction(ReactionStart.Beginning, FailAsync, keyOf: static _ => "one", parkedAt: static _ => true);
        await using (store.StartReactions([next], Quick()))
        {
            await WaitUntilParkedAsync(store, 1);
            await store.Reactions["recording"].SkipAsync(1, "It is no mail.", cancellationToken: TestContext.Current.CancellationToken);
            await AppendAsync(store, RecordingReaction.Placed("a"));
            await store.Reactions["recording"].WaitForAsync(5, TestContext.Current.CancellationToken);
        }

        Assert.Equal([2, 4], first.Positions);
        Assert.Equal([(3, 2), (4, 2), (5, 1)], next.Handled.Select(static each => (each.Position, each.Attempt)));
    }

    [Theory(Timeout = 60_000)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_skipped_event_whose_key_could_not_be_told_stays_skipped_when_those_that_wait_are_handed_out(bool hasOtherKey)
    {
        var store = place.Open();
        failing.Add(1);
        var first = new RecordingReaction(ReactionStart.Beginning, FailAsync,
            keyOf: static e => e.Position == 3 ? throw new FormatException("no key") : "one");
        await using (store.StartReactions([first], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("a"), RecordingReaction.Paid("a"));
            await WaitUntilParkedAsync(store, 2);
            await store.Reactions["recording"].SkipAsync(3, "It is no mail.", cancellationToken: TestContext.Current.CancellationToken);
            if (!hasOtherKey)
                await RetryFirstAsync();
        }
        var next = NewReaction();
        await using (store.StartReactions([next], Quick()))
        {
            if (hasOtherKey)
                await RetryFirstAsync();
        }

        Assert.Equal([1, 2], (hasOtherKey ? next : first).Positions.Order());
        Assert.Empty((await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).Parked);

        async Task RetryFirstAsync()
        {
            failing.Clear();
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: TestContext.Current.CancellationToken);
            await store.Reactions["recording"].WaitForAsync(3, TestContext.Current.CancellationToken);
        }
    }

    [Fact(Timeout = 60_000)]
    public async Task Events_that_wait_and_have_another_key_by_now_are_not_handled_before_a_parked_event_of_that_key()
    {
        var store = place.Open();
        failing.Add(1);
        await using (store.StartReactions([new RecordingReaction(ReactionStart.Beginning, FailAsync, isKeyed: false)], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("b"));
            await WaitUntilParkedAsync(store, 1);
        }
        failing.Add(3);
        var keyed = NewReaction();
        await using (store.StartReactions([keyed], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("b"));
            await WaitUntilParkedAsync(store, 2);
            await AppendAsync(store, RecordingReaction.Paid("b"));
            await store.Reactions["recording"].WaitForAsync(4, TestContext.Current.CancellationToken);
            failing.Clear();
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: TestContext.Current.CancellationToken);
            await store.Reactions["recording"].WaitForAsync(4, TestContext.Current.CancellationToken);
            Assert.Equal([1, 2], keyed.Positions.Order());

            await store.Reactions["recording"].RetryAsync(3, cancellationToken: TestContext.Current.CancellationToken);
            await store.Reactions["recording"].WaitForAsync(4, TestContext.Current.CancellationToken);
        }

        Assert.Equal([3, 4], keyed.Positions.Skip(2));
    }

    [Fact(Timeout = 60_000)]
    public async Task Event_that_is_retried_and_parked_again_with_a_key_by_then_repeats_no_other_event_of_the_key()
    {
        var store = place.Open();
        failing.UnionWith([1, 3]);
        var first = new RecordingReaction(ReactionStart.Beginning, FailAsync,
            keyOf: static e => e.Position == 1 ? throw new FormatException("no key") : "one");
        await using (store.StartReactions([first], Quick()))
        {
            await AppendAsync(store, [.. Enumerable.Range(1, 4).Select(static _ => RecordingReaction.Placed("a"))]);
            await WaitUntilParkedAsync(store, 2);
            await store.Reactions["recording"].SkipAsync(3, "It is no mail.", cancellationToken: TestContext.Current.CancellationToken);
            await store.Reactions["recording"].WaitForAsync(4, TestContext.Current.CancellationToken);
        }
        var next = new RecordingReaction(ReactionStart.Beginning, FailAsync, keyOf: static _ => "one");
        await using (store.StartReactions([next], Quick()))
        {
            await RetryAndFailAsync(store, 1);
            await AppendAsync(store, RecordingReaction.Placed("a"));
            await store.Reactions["recording"].WaitForAsync(5, TestContext.Current.CancellationToken);
            Assert.Empty(next.Handled);
            await store.Reactions["recording"].SkipAsync(1, "It is no mail.", cancellationToken: TestContext.Current.CancellationToken);
            await store.Reactions["recording"].WaitForAsync(5, TestContext.Current.CancellationToken);
        }

        Assert.Equal([2, 4], first.Positions);
        Assert.Equal([5], next.Positions);
    }

    [Fact(Timeout = 60_000)]
    public async Task Event_that_is_parked_again_does_not_set_free_what_waits_for_another_one_of_its_key()
    {
        var store = place.Open();
        failing.UnionWith([1, 4]);
        var first = new RecordingReaction(ReactionStart.Beginning, FailAsync, continues: true);
        await using (store.StartReactions([first], Quick()))
        {
            await AppendAsync(store, [.. Enumerable.Range(1, 3).Select(static _ => RecordingReaction.Placed("a"))]);
            await WaitUntilParkedAsync(store, 1);
            await store.Reactions["recording"].WaitForAsync(3, TestContext.Current.CancellationToken);
        }
        var next = NewReaction();
        await using (store.StartReactions([next], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("a"));
            await WaitUntilParkedAsync(store, 2);
            await RetryAndFailAsync(store, 1);
            await store.Reactions["recording"].SkipAsync(1, "It is no mail.", cancellationToken: TestContext.Current.CancellationToken);
            await store.Reactions["recording"].WaitForAsync(5, TestContext.Current.CancellationToken);
            Assert.Empty(next.Handled);
            failing.Clear();
            await store.Reactions["recording"].RetryAsync(4, cancellationToken: TestContext.Current.CancellationToken);
            await store.Reactions["recording"].WaitForAsync(5, TestContext.Current.CancellationToken);
        }

        Assert.Equal([2, 3], first.Positions);
        Assert.Equal([4, 5], next.Positions);
    }

    [Fact(Timeout = 60_000)]
    public async Task Parked_event_that_has_the_key_of_those_that_wait_by_now_stays_parked_when_they_are_handed_out()
    {
        var store = place.Open();
        failing.Add(1);
        var first = new RecordingReaction(ReactionStart.Beginning, FailAsync,
            keyOf: static e => e.Position == 3 ? throw new FormatException("no key") : "one");
        await using (store.StartReactions([first], Quick()))
        {
            await AppendAsync(store, [.. Enumerable.Range(1, 3).Select(static _ => RecordingReaction.Placed("a"))]);
            await WaitUntilParkedAsync(store, 2);
        }
        var next = new RecordingReaction(ReactionStart.Beginning, FailAsync, keyOf: static _ => "one");
        await using (store.StartReactions([next], Quick()))
        {
            await store.Reactions["recording"].SkipAsync(1, "It is no mail.", cancellationToken: TestContext.Current.CancellationToken);
            await store.Reactions["recording"].WaitForAsync(3, TestContext.Current.CancellationToken);
            Assert.Equal([3], (await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).Parked);
        }

        Assert.Equal([2], next.Positions);
    }

    [Fact(Timeout = 60_000)]
    public async Task Retried_event_whose_handler_was_removed_is_skipped_and_its_key_goes_on()
    {
        var store = place.Open();
        failing.Add(1);
        await using (store.StartReactions([NewReaction()], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("a"));
            await WaitUntilParkedAsync(store, 1);
        }
        var next = new RecordingReaction(ReactionStart.Beginning, handlesPlaced: false);
        await using (store.StartReactions([next], Quick()))
        {
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: TestContext.Current.CancellationToken);
            await next.WaitForAsync(1);
            var status = await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken);
            Assert.Empty(status.Parked);
            Assert.Equal([1], status.Skipped);
        }

        Assert.Equal([2], next.Positions);
    }

    [Fact(Timeout = 60_000)]
    public async Task Request_that_waits_for_a_leader_does_not_keep_the_open_events_back()
    {
        var store = place.Open();
        failing.Add(1);
        var hasBegun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using (store.StartReactions([new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            await FailAsync(context, cancellationToken);
            hasBegun.SetResult();
            await Task.Delay(Timeout.Infinite, cancellationToken);
        })], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
            await store.Reactions["recording"].WaitForAsync(1, TestContext.Current.CancellationToken);
            await hasBegun.Task;
        }
        await store.Reactions["recording"].RetryAsync(1, wait: false, TestContext.Current.CancellationToken);
        failing.Clear();
        var next = NewReaction();
        await using (store.StartReactions([next], Quick()))
            await next.WaitForAsync(2);

        Assert.Equal([1, 2], next.Positions.Order());
    }

    [Fact]
    public async Task Wait_after_a_skip_waits_for_what_was_behind_it()
    {
        var store = place.Open();
        failing.Add(1);
        var mayEnd = new TaskCompletionSource();
        var reaction = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            await FailAsync(context, cancellationToken);
            await mayEnd.Task.WaitAsync(cancellationToken);
        });
        await using var runner = store.StartReactions([reaction], Quick());
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Paid("a"));
        await WaitUntilParkedAsync(store, 1);

        await store.Reactions["recording"].SkipAsync(1, "It is no mail.", cancellationToken: TestContext.Current.CancellationToken);
        var waiting = store.Reactions["recording"].WaitForAsync(2, TestContext.Current.CancellationToken);

        Assert.False(waiting.IsCompleted);
        mayEnd.SetResult();
        await waiting;
        Assert.Equal([2], reaction.Positions);
    }

    [Fact]
    public async Task Request_by_a_process_that_does_not_lead_is_carried_out_by_the_one_that_does()
    {
        var (one, two) = (place.Open(), place.Open());
        failing.Add(1);
        var reaction = NewReaction();
        await using var leading = one.StartReactions([reaction], Quick());
        await AppendAsync(one, RecordingReaction.Placed("a"));
        await WaitUntilParkedAsync(one, 1);
        await using var following = two.StartReactions([NewReaction()], Quick());
        failing.Clear();
        await two.Reactions["recording"].RetryAsync(1, cancellationToken: TestContext.Current.CancellationToken);
        await reaction.WaitForAsync(1);
        var status = await two.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken);
        Assert.False(status.IsLeader);
        Assert.Empty(status.Parked);
    }

    [Fact]
    public async Task Events_are_handled_again_from_a_position_and_told_so()
    {
        var store = place.Open();
        failing.Add(3);
        var reaction = NewReaction();
        await using var runner = store.StartReactions([reaction], Quick());
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"), RecordingReaction.Placed("c"));
        await WaitUntilParkedAsync(store, 1);
        await reaction.WaitForAsync(2);
        failing.Clear();
        await store.Reactions["recording"].HandleAgainAsync(1, cancellationToken: TestContext.Current.CancellationToken);
        await AppendAsync(store, RecordingReaction.Paid("a"));
        await reaction.WaitForAsync(5);
        Assert.Equal([1, 2, 2, 3, 4], reaction.Positions.Order());
        Assert.Equal(2, reaction.Handled.Last(each => each.Position == 2).Attempt);
        Assert.Equal(1, reaction.Handled.Single(each => each.Position == 4).Attempt);
        Assert.Empty(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Halted_reaction_goes_on_from_where_it_is_told()
    {
        var store = place.Open();
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        var reaction = NewReaction();
        await using (store.StartReactions([reaction], Quick()))
            await reaction.WaitForAsync(2);
        var folder = Assert.Single(Directory.GetDirectories(Path.Combine(place.Layout.Reactions, "recording"), "live.*"));
        foreach (var file in Directory.GetFiles(folder))
            await File.WriteAllTextAsync(file, "{}", TestContext.Current.CancellationToken);

        var next = NewReaction();
        await using var runner = place.Open().StartReactions([next], Quick());
        await AppendAsync(store, RecordingReaction.Paid("a"));
        ReactionStatus status;
        while ((status = (await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken))).Phase != FollowerPhase.Halted)
            await Task.Delay(1, TestContext.Current.CancellationToken);
        Assert.Contains("Its checkpoint cannot be read", status.Halt, StringComparison.Ordinal);
        Assert.Empty(next.Handled);
        await store.Reactions["recording"].HandleAgainAsync(2, cancellationToken: TestContext.Current.CancellationToken);
        await next.WaitForAsync(1);
        Assert.Equal([3], next.Positions);
    }

    [Fact(Timeout = 60_000)]
    public async Task Halted_reaction_shows_its_leader_what_its_files_show_others()
    {
        var store = place.Open();
        failing.Add(1);
        var reaction = new RecordingReaction(ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            await FailAsync(context, cancellationToken);
            await context.ScheduleAsync(DateTimeOffset.MaxValue, NewEvent.FromJson("due", "{}"), cancellationToken: cancellationToken);
        });
        await using (store.StartReactions([reaction], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
            await WaitUntilParkedAsync(store, 1);
            await reaction.WaitForAsync(1);
        }
        using var other = StorePlace.InFolder();
        var restored = other.Open();
        await AppendAsync(restored, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"), RecordingReaction.Placed("c"));
        foreach (var (path, bytes) in place.Snapshot(place.Layout.Reactions))
        {
            if (bytes is not null)
                other.Put(path.Replace(place.Root, other.Root, StringComparison.Ordinal), bytes);
        }

        await using var runner = restored.StartReactions([NewReaction()], Quick());
        ReactionStatus status;
        while (!(status = await restored.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).IsLeader)
            await Task.Delay(1, TestContext.Current.CancellationToken);
        var elsewhere = await other.Open().Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken);
        Assert.Equal((FollowerPhase.Halted, 2, 1, 1), (status.Phase, status.Position, status.Lag, status.Scheduled));
        Assert.Equal([1], status.Parked);
        Assert.Equal((elsewhere.Position, elsewhere.Lag, elsewhere.Open, elsewhere.Failing, elsewhere.Scheduled),
            (status.Position, status.Lag, status.Open, status.Failing, status.Scheduled));
    }

    [Theory]
    [InlineData("deleted")]
    [InlineData("edited")]
    [InlineData("cut")]
    public async Task Description_that_is_gone_or_damaged_is_named_and_the_event_stays_parked(string damage)
    {
        var store = place.Open();
        failing.Add(1);
        var reaction = NewReaction();
        await using var runner = store.StartReactions([reaction], Quick());
        await AppendAsync(store, RecordingReaction.Placed("a"));
        await WaitUntilParkedAsync(store, 1);
        var path = ParkedFilePath(1);
        var text = await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken);
        if (damage == "deleted")
        {
            File.Delete(path);
        }
        else
        {
            await File.WriteAllTextAsync(path, damage == "cut" ? text[..40] : text.Replace("placed", "paid", StringComparison.Ordinal),
                TestContext.Current.CancellationToken);
        }

        var parked = Assert.Single(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken));
        Assert.Contains(path, parked.Problem, StringComparison.Ordinal);
        failing.Clear();
        await store.Reactions["recording"].RetryAsync(1, cancellationToken: TestContext.Current.CancellationToken);
        await reaction.WaitForAsync(1);
        Assert.Empty(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Errors_and_reasons_of_any_characters_can_be_read_again()
    {
        var store = place.Open();
        var controls = new string('\u0001', 4_000);
        var reaction = new RecordingReaction(ReactionStart.Beginning, (_, _) => throw new InvalidOperationException(controls));
        await using var runner = store.StartReactions([reaction], Quick(retries: 9));
        await AppendAsync(store, RecordingReaction.Placed("a"));
        await WaitUntilParkedAsync(store, 1);
        var reactions = store.Reactions["recording"];

        var parked = Assert.Single(await reactions.ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken));
        await reactions.SkipAsync(1, controls, cancellationToken: TestContext.Current.CancellationToken);
        var skipped = Assert.Single(await reactions.ReadSkippedAsync(cancellationToken: TestContext.Current.CancellationToken));

        Assert.Equal((null, 10), (parked.Problem, parked.Attempts.Count));
        Assert.Equal((null, controls, 10), (skipped.Problem, skipped.SkipReason, skipped.Attempts.Count));
    }

    [Fact(Timeout = 60_000)]
    public async Task Request_about_an_event_that_is_damaged_is_passed_over_and_others_are_handled()
    {
        var store = place.Open();
        failing.Add(1);
        var reaction = NewReaction();
        await using var runner = store.StartReactions([reaction], Quick());
        await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        await WaitUntilParkedAsync(store, 1);
        var segment = place.Layout.Segment(0);
        place.Patch(segment, place.Bytes(segment).AsSpan().IndexOf("\"type\""u8), new byte[4]);
        place.Delete(place.Layout.EventFile(1));

        await store.Reactions["recording"].RetryAsync(1, cancellationToken: TestContext.Current.CancellationToken);
        await AppendAsync(store, RecordingReaction.Placed("b"));
        await reaction.WaitForAsync(2);

        Assert.Equal([2, 3], reaction.Positions);
        Assert.Equal([1], (await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).Parked);
    }

    [Fact(Timeout = 60_000)]
    public async Task Event_that_waits_and_is_damaged_holds_up_no_other_key_that_waits()
    {
        var store = place.Open();
        failing.UnionWith([1, 2, 3]);
        var reaction = NewReaction();
        var options = Quick();
        options.MaxConcurrency = 1;
        await using var runner = store.StartReactions([reaction], options);
        await AppendAsync(store, [.. "abcabcd".Select(static key => RecordingReaction.Placed($"{key}"))]);
        await WaitUntilParkedAsync(store, 3);
        var segment = place.Layout.Segment(0);
        var lines = place.Bytes(segment);
        var at = Enumerable.Range(1, 4).Aggregate(0, (from, _) => from + lines.AsSpan(from).IndexOf("\"type\""u8) + 1);
        place.Patch(segment, at - 1, new byte[4]);
        place.Patch(segment, at + lines.AsSpan(at).IndexOf("\"type\""u8), new byte[4]);
        place.Delete(place.Layout.EventFile(4));
        place.Delete(place.Layout.EventFile(5));

        foreach (var position in (long[])[1, 2, 3])
            await store.Reactions["recording"].SkipAsync(position, "It is no mail.", cancellationToken: TestContext.Current.CancellationToken);
        await reaction.WaitForAsync(2);

        Assert.Equal([7, 6], reaction.Positions);
    }

    [Fact]
    public async Task Request_that_makes_no_sense_is_refused()
    {
        var store = place.Open();
        await AppendAsync(store, RecordingReaction.Placed("a"));
        var reaction = NewReaction();
        await using var runner = store.StartReactions([reaction], Quick());
        await reaction.WaitForAsync(1);
        var cancellation = TestContext.Current.CancellationToken;
        await Assert.ThrowsAsync<InvalidOperationException>(() => store.Reactions["recording"].RetryAsync(1, cancellationToken: cancellation));
        await Assert.ThrowsAsync<InvalidOperationException>(() => store.Reactions["recording"].SkipAsync(1, "why not", cancellationToken: cancellation));
        await Assert.ThrowsAsync<ArgumentException>(() => store.Reactions["recording"].SkipAsync(1, " ", cancellationToken: cancellation));
        await Assert.ThrowsAsync<InvalidOperationException>(() => store.Reactions["other"].RetryAsync(1, cancellationToken: cancellation));
        foreach (var after in (long[])[2, -1, long.MaxValue])
        {
            var refusal = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
                () => store.Reactions["recording"].HandleAgainAsync(after, cancellationToken: cancellation));
            Assert.Equal((nameof(after), after), (refusal.ParamName, refusal.ActualValue));
        }
        await Assert.ThrowsAsync<ArgumentException>(() => store.Reactions["../Projections"].GetStatusAsync(cancellation));
    }

    private static ReactionOptions Quick(int retries = 0) => new()
    {
        RetryDelay = TimeSpan.Zero,
        MaxRetryAttempts = retries,
        TakeOverInterval = TimeSpan.FromMilliseconds(10),
        PollInterval = TimeSpan.FromMilliseconds(10),
    };

    private static async Task WaitUntilParkedAsync(FileSystemEventStore store, int count)
    {
        var head = await store.GetHeadAsync(TestContext.Current.CancellationToken);
        await store.Reactions["recording"].WaitForAsync(head, TestContext.Current.CancellationToken);
        Assert.Equal(count, (await store.Reactions["recording"].GetStatusAsync(TestContext.Current.CancellationToken)).Parked.Count);
    }

    private static async Task RetryAndFailAsync(FileSystemEventStore store, long position)
    {
        await store.Reactions["recording"].RetryAsync(position, cancellationToken: TestContext.Current.CancellationToken);
        await store.Reactions["recording"].WaitForAsync(position, TestContext.Current.CancellationToken);
        var parked = await store.Reactions["recording"].ReadParkedAsync(cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(2, parked.Single(each => each.Position == position).Attempts[^1].Number);
    }

    private static Task<AppendResult> AppendAsync(FileSystemEventStore store, params NewEvent[] events) =>
        store.AppendAsync(events, cancellationToken: TestContext.Current.CancellationToken);

    private RecordingReaction NewReaction() => new(ReactionStart.Beginning, FailAsync);

    private Task FailAsync(ReactionContext context, CancellationToken cancellationToken) => failing.Contains(context.Event.Position)
        ? throw new InvalidOperationException($"No mail server for {context.Event.Position}.")
        : Task.CompletedTask;

    private string ParkedFilePath(long position) => new ReactionLayout(place.Layout.Reactions, "recording").ParkedFile(position);
}
