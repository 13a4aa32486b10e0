using Opossum.Testing;
using Opossum.Tests;

namespace Opossum.TestingTests;

public sealed class RaceTests
{
    private static readonly Query all = Query.FromEventTypes("seat-taken");

    [Fact]
    public async Task Every_order_of_appends_runs_once()
    {
        var orders = new HashSet<string>();

        var report = await Race.Explore(Appending("a", 4), Appending("b", 4))
            .Then("each order is another one", events => orders.Add(string.Concat(events.Select(e => e.Type))))
            .RunAsync();

        // 8! / (4! 4!)
        Assert.Equal((70, 70, true, 560L), (orders.Count, report.Interleavings, report.IsExhaustive, report.Calls));
    }

    [Fact]
    public async Task A_fault_is_reported_although_without_a_decision_or_an_event_another_one_does_not_end()
    {
        // Neither has its fault alone: the second waits for the first, and the first for the given event.
        static async Task AppendWhenThereAreAsync(IEventStore store, int count)
        {
            while (await CountNowAsync(store) < count)
            {
            }
            await store.AppendAsync(NewEvent.FromJson("seat-taken", "1"));
        }

        var error = await Assert.ThrowsAsync<TestFailedException>(() =>
            Race.Explore(store => AppendWhenThereAreAsync(store, 1), store => AppendWhenThereAreAsync(store, 2))
                .Given(NewEvent.FromJson("seat-taken", "1"))
                .Always("two seats are taken at most", events => events.Count <= 2)
                .RunAsync());

        Assert.Contains("two seats are taken at most", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Reads_are_not_run_in_every_order()
    {
        static async Task ReadAsync(IEventStore store)
        {
            for (var i = 0; i < 6; i++)
                await store.ExistsAsync(all);
            await store.AppendAsync(NewEvent.FromJson("read", "1"));
        }

        var report = await Race.Explore(ReadAsync, ReadAsync).Then("both appended", events => events.Count == 2).RunAsync();

        // Without pruning: 14! / (7! 7!) = 3432.
        Assert.True(report.IsExhaustive);
        Assert.InRange(report.Interleavings, 14, 100);
    }

    [Fact]
    public async Task What_is_not_run_has_the_outcome_of_what_is()
    {
        // Each decision reads the number of events three times and appends it twice, so an event tells what its decision saw.
        static async Task CountAsync(IEventStore store, string name)
        {
            var count = await CountNowAsync(store);
            await store.AppendAsync(NewEvent.FromJson(name, $"{count}"));
            count = (100 * await CountNowAsync(store)) + await CountNowAsync(store);
            await store.AppendAsync(NewEvent.FromJson(name, $"{count}"));
        }

        var outcomes = new SortedSet<string>(StringComparer.Ordinal);
        var report = await Race.Explore(store => CountAsync(store, "a"), store => CountAsync(store, "b"))
            .Then("collect", events =>
            {
                outcomes.Add(string.Join(' ', events.Select(e => $"{e.Type}{System.Text.Encoding.UTF8.GetString(e.Json.Span)}")));
                return true;
            })
            .RunAsync();

        var all = new SortedSet<string>(StringComparer.Ordinal);
        foreach (var order in Orders(5, 5))
            all.Add(OutcomeOf(order));
        Assert.True(report.IsExhaustive);
        Assert.InRange(report.Interleavings, all.Count, 251);
        Assert.Equal(all, outcomes);
    }

    [Fact]
    public async Task Ten_thousand_interleavings_of_two_decisions_are_run_call_by_call()
    {
        LongTests.SkipUnlessAsked();

        // Five decisions one after the other, each a read and an append, and again after a conflict.
        static async Task TakeFiveAsync(IEventStore store, string student)
        {
            for (var seat = 1; seat <= 5; seat++)
            {
                await store.ExecuteDecisionAsync(
                    DecisionProjection.Create(false, new Tag("seat", $"{seat}")).On("seat-taken", (_, _) => true),
                    isTaken => isTaken ? [] : [NewEvent.FromJson("seat-taken", $"\"{student}\"", new Tag("seat", $"{seat}"))]);
            }
        }

        var report = await Race.Explore(store => TakeFiveAsync(store, "ada"), store => TakeFiveAsync(store, "ben"))
            .Always("a seat is taken once", events => events.DistinctBy(e => e.Tags[0]).Count() == events.Count)
            .RunAsync();

        Assert.Equal((10_000, false), (report.Interleavings, report.IsExhaustive));
        Assert.InRange(report.Calls, 150_000, 200_000);
    }

    [Fact]
    public async Task The_report_is_a_short_given_when_then_with_the_interleaving()
    {
        var failure = await FailureOf(Race.Explore(
                new RaceDecision("Cleo adds a row", store => store.AppendAsync(NewEvent.FromJson("row-added", "2"))),
                new RaceDecision("Ada takes the seat", store => TakeAsync(store, "ada")),
                new RaceDecision("Ben takes the seat", store => TakeAsync(store, "ben")))
            .Given(NewEvent.FromJson("row-added", "1"))
            .Always("a seat is taken once", events => events.Count(e => e.Type == "seat-taken") <= 1));

        Assert.Equal("""
            The rule "a seat is taken once" is broken after event 2.
            Given
              (nothing)
            When
              Ada takes the seat: reads (seat-taken): 0 events, head 0
              Ben takes the seat: reads (seat-taken): 0 events, head 0
              Ben takes the seat: reads the head: 0
              Ben takes the seat: appends seat-taken "ben" unless (seat-taken) matches after 0: stored as event 1
              Ada takes the seat: reads the head: 1
              Ada takes the seat: appends seat-taken "ada" unless (seat-taken) matches after 1: stored as event 2
            Then
              1 seat-taken "ben"
              2 seat-taken "ada"
            """, failure);
    }

    [Fact]
    public async Task A_large_race_is_bounded_and_repeats_with_its_seed()
    {
        Task<RaceReport> RunAsync(int seed) => Race.Explore(Appending("a", 12), Appending("b", 12), Appending("c", 12))
            .Then("all appended", events => events.Count == 36)
            .AtMost(40, seed)
            .RunAsync();

        var (first, again, other) = (await RunAsync(7), await RunAsync(7), await RunAsync(8));

        Assert.Equal((40, false, 7), (first.Interleavings, first.IsExhaustive, first.Seed));
        Assert.Equal(first, again);
        Assert.Contains("seed 8", other.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Positions_and_conflicts_are_those_of_a_store_of_its_own()
    {
        static async Task CheckAsync(IEventStore store)
        {
            var last = await store.ReadLastAsync(Query.All);
            var forwards = await store.ReadAsync(Query.All, new ReadOptions { After = 0, UpTo = 2, Limit = 9 }).ToListAsync();
            var backwards = await store.ReadAsync(Query.All, new ReadOptions { After = 0, UpTo = 2, Backwards = true }).ToListAsync();
            var conflict = await Assert.ThrowsAsync<AppendConditionFailedException>(
                () => store.AppendAsync(NewEvent.FromJson("x", "1"), new AppendCondition(Query.FromEventTypes("given"), 1)));
            Assert.Equal((2, 1, 2), (conflict.ConflictingPosition, conflict.Condition.After, forwards.Count));
            Assert.Equal([2, 1], backwards.Select(e => e.Position));
            await store.AppendAsync(NewEvent.FromJson(last!.Position >= 2 ? "right" : "wrong", "1"));
        }

        var report = await Race.Explore(CheckAsync, CheckAsync)
            .Given(NewEvent.FromJson("given", "1"), NewEvent.FromJson("given", "2"))
            .Then("all is right", events => events.Count(e => e.Type == "right") == 2)
            .RunAsync();

        Assert.True(report.IsExhaustive);
    }

    [Fact]
    public async Task A_decision_may_leave_its_thread_and_call_the_store_in_parallel()
    {
        static async Task RunAsync(IEventStore store)
        {
            await Task.Yield();
            await Task.WhenAll(store.ExistsAsync(all), store.GetHeadAsync());
            await Task.Run(() => store.AppendAsync(NewEvent.FromJson("done", "1")));
        }

        var report = await Race.Explore(RunAsync, RunAsync).Then("both are done", events => events.Count == 2).RunAsync();

        Assert.True(report.IsExhaustive);
    }

    [Fact]
    public async Task A_race_in_which_nothing_is_appended_fails()
    {
        var failure = await FailureOf(Race.Explore(Refusing, Refusing).Always("nothing", _ => true));

        Assert.StartsWith("No decision appended anything", failure, StringComparison.Ordinal);
        Assert.Contains("there is no course", failure, StringComparison.Ordinal);

        static async Task Refusing(IEventStore store)
        {
            await store.ExistsAsync(all);
            throw new InvalidOperationException("there is no course");
        }
    }

    [Fact]
    public async Task A_decision_that_throws_in_every_interleaving_fails_the_race()
    {
        var failure = await FailureOf(Race.Explore(Appending("a", 1), Failing).Always("any", _ => true));

        Assert.StartsWith("A decision threw in every interleaving, so it was not tried.\n\"decision 2\" threw System.NotSupportedException: there is no "
            + "course.\n", failure, StringComparison.Ordinal);
        Assert.DoesNotContain("decision 1", failure, StringComparison.Ordinal);

        static async Task Failing(IEventStore store)
        {
            await store.ExistsAsync(all);
            throw new NotSupportedException("there is no course.");
        }
    }

    [Fact]
    public async Task A_decision_may_be_refused_in_some_interleavings()
    {
        var report = await Race.Explore(TakeOrThrowAsync, TakeOrThrowAsync).Always("a seat is taken once", events => events.Count <= 1).RunAsync();

        Assert.True(report.IsExhaustive);

        static async Task TakeOrThrowAsync(IEventStore store)
        {
            await store.ExecuteDecisionAsync(
                DecisionProjection.Create(false, new Tag("seat", "1")).On("seat-taken", (_, _) => true),
                isTaken => isTaken
                    ? throw new InvalidOperationException("the seat is taken")
                    : [NewEvent.FromJson("seat-taken", "1", new Tag("seat", "1"))]);
        }
    }

    [Fact]
    public async Task Events_that_are_null_are_refused_as_any_others()
    {
        var list = await FailureOf(Race.Explore(store => store.AppendAsync((IReadOnlyList<NewEvent>)null!), Appending("b", 1)).Always("any", _ => true));
        var element = await FailureOf(Race.Explore(store => store.AppendAsync([null!]), Appending("b", 1)).Always("any", _ => true));

        Assert.StartsWith("The store refused a call of \"decision 1\":", list, StringComparison.Ordinal);
        Assert.Contains("decision 1: appends null without a condition: refused", list, StringComparison.Ordinal);
        Assert.StartsWith("The store refused a call of \"decision 1\":", element, StringComparison.Ordinal);
        Assert.Contains("decision 1: appends null without a condition: refused", element, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_call_that_the_store_refuses_fails_the_race()
    {
        var failure = await FailureOf(
            Race.Explore(store => store.AppendAsync(new NewEvent("no event type")), Appending("b", 1)).Always("any", _ => true));

        Assert.StartsWith("The store refused a call of \"decision 1\": events[0] is not allowed.", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_decision_that_depends_on_earlier_runs_is_reported()
    {
        var runs = 0;

        var failure = await FailureOf(
            Race.Explore(Appending("a", 1), store => Appending(runs++ % 2 == 0 ? "b" : "c", 1)(store)).Always("any", _ => true));

        Assert.StartsWith("A decision did not repeat", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_decision_that_retries_forever_is_reported()
    {
        static async Task ForeverAsync(IEventStore store)
        {
            while (true)
            {
                try
                {
                    await store.AppendAsync(NewEvent.FromJson("a", "1"), new AppendCondition(Query.FromEventTypes("b")));
                    return;
                }
                catch (AppendConditionFailedException)
                {
                    await store.ExistsAsync(all);
                }
            }
        }

        var failure = await FailureOf(Race.Explore(Appending("b", 1), ForeverAsync).Always("any", _ => true));

        Assert.StartsWith("\"decision 2\" has not ended after 1000 calls", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_rule_that_throws_is_broken_with_its_message()
    {
        var failure = await FailureOf(
            Race.Explore(Appending("a", 1), Appending("b", 1)).Then("two", events => throw new InvalidOperationException("only " + events.Count)));

        Assert.StartsWith("The rule \"two\" is broken at the end: only 2.", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_race_needs_a_rule_and_two_decisions()
    {
        await Assert.ThrowsAsync<InvalidOperationException>(() => Race.Explore(Appending("a", 1), Appending("b", 1)).RunAsync());
        Assert.Throws<ArgumentException>(() => Race.Explore(Appending("a", 1)));
    }

    private static async Task<string> FailureOf(RaceTest race) => (await Assert.ThrowsAsync<TestFailedException>(() => race.RunAsync())).Message;

    private static async Task<int> CountNowAsync(IEventStore store) => await store.ReadAsync(Query.All).CountAsync();

    /// <summary>All orders of the calls of two decisions, as bits: 0 for the first.</summary>
    private static IEnumerable<int[]> Orders(int first, int second) =>
        (first, second) == (0, 0)
            ? [[]]
            : (first == 0 ? [] : Orders(first - 1, second).Select(rest => (int[])[0, .. rest]))
                .Concat(second == 0 ? [] : Orders(first, second - 1).Select(rest => (int[])[1, .. rest]));

    /// <summary>What two counting decisions append in an order: their calls are read, append, read, read, append.</summary>
    private static string OutcomeOf(int[] order)
    {
        var events = new List<string>();
        var (calls, seen) = (new int[2], new int[2]);
        foreach (var decision in order)
        {
            switch (calls[decision]++)
            {
                case 0:
                    seen[decision] = events.Count;
                    break;
                case 2:
                    seen[decision] = 100 * events.Count;
                    break;
                case 3:
                    seen[decision] += events.Count;
                    break;
                default:
                    events.Add($"{"ab"[decision]}{seen[decision]}");
                    break;
            }
        }
        return string.Join(' ', events);
    }

    private static Func<IEventStore, Task> Appending(string type, int count) => async store =>
    {
        for (var i = 0; i < count; i++)
            await store.AppendAsync(NewEvent.FromJson(type, "1"));
    };

    // After is read too late.
    private static async Task TakeAsync(IEventStore store, string student)
    {
        if (!await store.ExistsAsync(all))
            await store.AppendAsync(NewEvent.FromJson("seat-taken", $"\"{student}\""), new AppendCondition(all, await store.GetHeadAsync()));
    }
}
