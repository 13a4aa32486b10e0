using System.Text.Json;

namespace Opossum.Tests.Projections;

public abstract partial class ProjectionContract
{
    private const int HangMilliseconds = 60_000;

    [Fact]
    public async Task Event_that_fails_once_is_tried_again_and_counts_once()
    {
        var failures = 3;
        await using var runner = await StartAsync([new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 3 && failures-- > 0)))]);
        await CountAsync("a", "b", "a", "b", "a");
        await store.Projections.Get<Count>().WaitForAsync(5);
        Assert.Equal(3, (await store.Projections.Get<Count>().GetAsync("a"))?.Number);
        Assert.Equal(2, (await store.Projections.Get<Count>().GetAsync("b"))?.Number);
    }

    [Fact]
    public async Task Event_that_keeps_failing_stops_its_projection_alone_and_everything_before_it_counts()
    {
        await using var runner = await StartAsync([new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 3))), new Counts()]);
        await CountAsync("a", "b", "a", "b", "a");
        var hand = store.Projections.Get<Count>("hand");
        var fault = (await Assert.ThrowsAsync<ProjectionException>(async () => await hand.WaitForAsync(3))).Fault!;
        Assert.Equal((3, "counted"), (fault.Position, fault.EventType));
        Assert.Contains("No.", fault.Error, StringComparison.Ordinal);
        await hand.WaitForAsync(2);
        Assert.Equal(1, (await hand.GetAsync("a"))?.Number);
        var status = await hand.GetStatusAsync();
        Assert.Equal((FollowerPhase.Halted, 2L, fault), (status.Phase, status.Position, status.Fault));
        await store.Projections.Get<Count>("counts").WaitForAsync(5);

        using var other = Open();
        await using var otherRunner = other.StartProjections([new Hand(each => each.Count())], quick);
        await Assert.ThrowsAsync<ProjectionException>(async () => await other.Projections.Get<Count>().WaitForAsync(5));
    }

    [Fact]
    public async Task Stopped_projection_goes_on_when_it_is_told_to_try_again()
    {
        var fails = true;
        await using var runner = await StartAsync([new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 2 && fails)))]);
        await CountAsync("a", "a", "a");
        await Assert.ThrowsAsync<ProjectionException>(async () => await store.Projections.Get<Count>().WaitForAsync(3));
        fails = false;
        using var other = Open();
        await using var otherRunner = other.StartProjections([new Hand(each => each.Count())], quick);
        await other.Projections["hand"].RetryAsync();
        await UntilAsync(store, "hand", status => status.Phase == FollowerPhase.Running);
        await store.Projections.Get<Count>().WaitForAsync(3);
        Assert.Equal(3, (await store.Projections.Get<Count>().GetAsync("a"))?.Number);
    }

    [Fact]
    public async Task Stopped_event_is_tried_again_after_a_restart_before_anybody_who_waits_hears_of_it()
    {
        await using (await StartAsync([new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 2)))]))
        {
            await CountAsync("a", "a", "a");
            await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<Count>().WaitForAsync(3));
        }
        using var mayContinue = new ManualResetEventSlim();
        var mended = new Hand(hand => hand.Count(before: _ => mayContinue.Wait()));
        await using var runner = store.StartProjections([mended], quick);
        var atOnce = store.Projections.Get<Count>().WaitForAsync(3);
        while (!(await store.Projections["hand"].GetStatusAsync()).IsLeader)
            await Task.Yield();
        var later = store.Projections.Get<Count>().WaitForAsync(3);
        mayContinue.Set();

        await Task.WhenAll(atOnce, later);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Higher_version_that_has_stopped_is_over_once_the_former_one_runs_again()
    {
        await CountAsync("a", "a");
        await using (await StartAsync([new Hand(hand => hand.Count())]))
            await store.Projections.Get<Count>().WaitForAsync(2, TestContext.Current.CancellationToken);
        var higher = new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 2)), version: 2);
        await using (store.StartProjections([higher], quick))
        {
            await Assert.ThrowsAsync<ProjectionException>(
                () => store.Projections.Get<Count>().WaitForAsync(3, TestContext.Current.CancellationToken));
        }

        await using var former = store.StartProjections([new Hand(hand => hand.Count())], quick);
        await UntilAsync(store, "hand", static status => status is { Phase: FollowerPhase.Running, Fault: null });
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Higher_version_that_mends_a_stop_has_not_stopped_while_it_is_built()
    {
        await using (await StartAsync([new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 2)))]))
        {
            await CountAsync("a", "a", "a");
            await Assert.ThrowsAsync<ProjectionException>(
                () => store.Projections.Get<Count>().WaitForAsync(3, TestContext.Current.CancellationToken));
        }
        using var mayContinue = new ManualResetEventSlim();
        var higher = new Hand(hand => hand.Count(before: _ => mayContinue.Wait()), version: 2);
        await using var runner = store.StartProjections([higher], quick);
        using var other = Open();
        await UntilAsync(store, "hand", static status => status.IsLeader);
        var seen = new List<(FollowerPhase, ProjectionFault?)>();
        var skips = new List<Exception?>();
        foreach (var each in (FileSystemEventStore[])[store, other])
        {
            var status = await each.Projections["hand"].GetStatusAsync(TestContext.Current.CancellationToken);
            seen.Add((status.Phase, status.Fault));
            skips.Add(await Record.ExceptionAsync(() => each.Projections["hand"].SkipAsync(2, "It was a mistake.", wait: false,
                TestContext.Current.CancellationToken)));
        }
        mayContinue.Set();
        await store.Projections.Get<Count>().WaitForAsync(3, TestContext.Current.CancellationToken);

        Assert.Equal([(FollowerPhase.Rebuilding, null), (FollowerPhase.Rebuilding, null)], seen);
        Assert.All(skips, static each => Assert.IsType<InvalidOperationException>(each));
    }

    [Fact]
    public async Task Event_is_skipped_on_demand_for_good_and_for_every_build_of_that_version()
    {
        await using (var runner = await StartAsync([new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 2)))]))
        {
            await CountAsync("a", "a", "a");
            await Assert.ThrowsAsync<ProjectionException>(async () => await store.Projections.Get<Count>().WaitForAsync(3));
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await store.Projections["hand"].SkipAsync(3, "Not that one."));
            await store.Projections["hand"].SkipAsync(2, "It was a mistake.");
            await UntilAsync(store, "hand", status => status.Phase == FollowerPhase.Running);
            await store.Projections.Get<Count>().WaitForAsync(3);
            Assert.Equal(2, (await store.Projections.Get<Count>().GetAsync("a"))?.Number);
        }
        Assert.Contains("It was a mistake.",
            System.Text.Encoding.UTF8.GetString(place.Snapshot(place.Layout.Projections).Single(file => file.Key.EndsWith("1-0000000002.json",
                StringComparison.Ordinal)).Value!), StringComparison.Ordinal);
        await using var again = store.StartProjections([new Hand(hand => hand.Count())], quick);
        await store.Projections["hand"].RebuildAsync();
        Assert.Equal(2, (await store.Projections.Get<Count>().GetAsync("a"))?.Number);
    }

    [Fact]
    public async Task Rebuild_that_meets_a_failing_event_says_so_and_leaves_the_states_as_they_are()
    {
        var fails = false;
        await using var runner = await StartAsync([new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 2 && fails)))]);
        await CountAsync("a", "a", "a");
        await store.Projections.Get<Count>().WaitForAsync(3);
        fails = true;
        var fault = (await Assert.ThrowsAsync<ProjectionException>(async () => await store.Projections["hand"].RebuildAsync())).Fault!;
        Assert.Equal(2, fault.Position);
        await CountAsync("a");
        await store.Projections.Get<Count>().WaitForAsync(4);
        Assert.Equal(4, (await store.Projections.Get<Count>().GetAsync("a"))?.Number);
        fails = false;
        await store.Projections["hand"].RetryAsync();
        await UntilAsync(store, "hand", status => status.Phase == FollowerPhase.Running);
        Assert.Equal(4, (await store.Projections.Get<Count>().GetAsync("a"))?.Number);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task First_build_that_has_stopped_keeps_nobody_waiting_also_for_what_comes_before_the_event()
    {
        await CountAsync("a", "b", "a");
        await using var runner = store.StartProjections([new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 3)))], quick);
        foreach (var position in (long[])[3, 2, 1, 99])
        {
            Assert.Equal(3,
                (await Assert.ThrowsAsync<ProjectionException>(async () => await store.Projections.Get<Count>().WaitForAsync(position,
                    TestContext.Current.CancellationToken))).Fault!.Position);
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Build_that_has_stopped_keeps_nobody_waiting_while_the_states_that_are_read_are_of_other_events()
    {
        // A store that was cut waits there, by the real clock, until no cache has what was cut off.
        if (place.Disk is { Volume.CachesIgnoreLocks: true })
            LongTests.SkipUnlessAsked();
        await CountAsync("a", "b", "a");
        await using (var runner = await StartAsync([new Hand(hand => hand.Count())]))
            await store.Projections.Get<Count>().WaitForAsync(3, TestContext.Current.CancellationToken);
        place.CloseStores();
        place.Repair(Repair.Remedies.Truncate(0));
        using var cut = Open();
        await cut.AppendAsync([Counts.Counted("c"), Counts.Counted("d")], cancellationToken: TestContext.Current.CancellationToken);
        await using var again = cut.StartProjections([new Hand(hand => hand.Count(before: e => ThrowIf(e.Position == 2)))], quick);
        foreach (var position in (long[])[1, 2, 3])
        {
            Assert.Equal(2,
                (await Assert.ThrowsAsync<ProjectionException>(async () => await cut.Projections.Get<Count>().WaitForAsync(position,
                    TestContext.Current.CancellationToken))).Fault!.Position);
        }

        Assert.Equal(0, (await cut.Projections.Get<Count>().GetStatusAsync(TestContext.Current.CancellationToken)).Position);
        await cut.Projections["hand"].SkipAsync(2, "It was a mistake.", cancellationToken: TestContext.Current.CancellationToken);
        await cut.Projections.Get<Count>().WaitForAsync(2, TestContext.Current.CancellationToken);
        Assert.Equal(["c"],
            (await cut.Projections.Get<Count>().ReadAllAsync(TestContext.Current.CancellationToken).ToListAsync()).Select(state => state.Key));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Error_without_end_or_sense_is_shown_by_its_beginning()
    {
        var error = "\ud800" + new string('x', 100_000);
        await using var runner = await StartAsync([new Hand(hand => hand.Count(before: _ => throw new InvalidDataException(error)))]);
        await CountAsync("a");
        var fault =
            (await Assert.ThrowsAsync<ProjectionException>(async () => await store.Projections.Get<Count>().WaitForAsync(1,
                TestContext.Current.CancellationToken))).Fault!;
        Assert.StartsWith("InvalidDataException: \ufffdxxx", fault.Error, StringComparison.Ordinal);
        Assert.InRange(fault.Error.Length, 1_000, 5_000);
        await Assert.ThrowsAsync<ArgumentException>(async () => await store.Projections["hand"].SkipAsync(1, new string('x', 4_001),
            cancellationToken: TestContext.Current.CancellationToken));
        await store.Projections["hand"].SkipAsync(1, new string('x', 4_000), cancellationToken: TestContext.Current.CancellationToken);
        await store.Projections.Get<Count>().WaitForAsync(1, TestContext.Current.CancellationToken);
    }

    [Theory]
    [InlineData("empty")]
    [InlineData("null")]
    [InlineData("surrogate")]
    public async Task Key_that_cannot_be_is_a_failing_event(string kind)
    {
        var key = kind switch { "empty" => "", "null" => null!, _ => "\ud800" };
        await using var runner = await StartAsync([new Hand(hand => hand.Count(e => [e.Position == 2 ? key : "a"]))]);
        await CountAsync("a", "a", "a");
        var fault = (await Assert.ThrowsAsync<ProjectionException>(async () => await store.Projections.Get<Count>().WaitForAsync(3))).Fault!;
        Assert.Equal(2, fault.Position);
        Assert.Equal(1, (await store.Projections.Get<Count>().GetAsync("a"))?.Number);
    }

    [Fact]
    public async Task State_that_cannot_be_written_is_blamed_on_the_event_that_made_it_so()
    {
        await using var runner = await StartAsync([new Texts()]);
        await CountAsync("a", "b", "a", "b", "a");
        var fault = (await Assert.ThrowsAsync<ProjectionException>(async () => await store.Projections.Get<Text>().WaitForAsync(5))).Fault!;
        Assert.Equal(3, fault.Position);
        Assert.Equal("1", (await store.Projections.Get<Text>().GetAsync("a"))?.Value);
        Assert.Equal("2", (await store.Projections.Get<Text>().GetAsync("b"))?.Value);
        await store.Projections["texts"].SkipAsync(3, "It is no text.");
        await UntilAsync(store, "texts", status => status.Phase == FollowerPhase.Running);
        await store.Projections.Get<Text>().WaitForAsync(5);
        Assert.Equal("15", (await store.Projections.Get<Text>().GetAsync("a"))?.Value);
    }

    [Fact(Timeout = 60_000)]
    public async Task State_ahead_of_the_checkpoint_that_cannot_be_written_stops_the_projection()
    {
        var fails = false;
        SortedDictionary<string, byte[]?> before;
        await using (await StartAsync([new Tagged(() => ThrowIf(fails))]))
        {
            await CountAsync("a");
            await store.Projections["tagged"].WaitForAsync(1);
        }
        before = place.Snapshot(place.Layout.Projections);
        await using (await StartAsync([new Tagged(() => ThrowIf(fails))]))
        {
            await CountAsync("a", "a");
            await store.Projections["tagged"].WaitForAsync(3);
        }
        // As a power cut leaves it: a later checkpoint is not flushed.
        foreach (var path in place.Snapshot(place.Layout.Projections).Keys.Where(static path => path.Contains("checkpoint.", StringComparison.Ordinal)))
            place.Put(path, before.First(static each => each.Key.Contains("checkpoint.", StringComparison.Ordinal)).Value!);
        fails = true;
        await using var runner = store.StartProjections([new Tagged(() => ThrowIf(fails))], quick);

        await Assert.ThrowsAsync<ProjectionException>(async () => await store.Projections["tagged"].WaitForAsync(3));
    }

    [Fact]
    public async Task State_of_the_greatest_depth_is_read()
    {
        await using var runner = await StartAsync([new Docs()]);
        await store.AppendAsync(NewEvent.FromJson("doc", new string('[', 63) + new string(']', 63)));
        var docs = store.Projections.Get<Doc>();
        await docs.WaitForAsync(1);

        Assert.Equal(JsonValueKind.Array, (await docs.GetAsync("all"))!.Body.ValueKind);
    }

    // Once their states are read, so that what comes then is an update and no first build.
    private async Task<IAsyncDisposable> StartAsync(IReadOnlyList<Projection> projections)
    {
        var runner = store.StartProjections(projections, quick);
        foreach (var projection in projections)
            await UntilAsync(store, projection.Name, static status => status.Phase == FollowerPhase.Running);
        return runner;
    }

    private static void ThrowIf(bool isWrong)
    {
        if (isWrong)
            throw new InvalidDataException("No.");
    }

    private async Task CountAsync(params string[] keys) => await store.AppendAsync([.. keys.Select(key => Counts.Counted(key))]);

    private sealed class Tagged : Projection<Count>
    {
        public Tagged(Action beforeTags)
            : base("tagged")
        {
            On("counted", static e => [e.Tags[0].Value], static (count, e) => new Count((count?.Number ?? 0) + 1, e.Position));
            TagBy(_ =>
            {
                beforeTags();
                return [];
            });
        }
    }

    private sealed record Doc(JsonElement Body);

    private sealed class Docs : Projection<Doc>
    {
        public Docs()
            : base("docs") => On("doc", static _ => "all", static (_, e) => new Doc(JsonElement.Parse(e.Json.Span)));
    }

    private sealed record Text(string Value);

    /// <summary>Position 3 gives text that is no Unicode, which only shows when it is written.</summary>
    private sealed class Texts : Projection<Text>
    {
        public Texts()
            : base("texts") =>
                On("counted", e => [e.Tags[0].Value], (text, e) => new Text($"{text?.Value}{(e.Position == 3 ? "\ud800" : e.Position)}"));
    }
}
