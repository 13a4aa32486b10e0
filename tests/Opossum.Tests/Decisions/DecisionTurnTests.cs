using Opossum.Decisions;

namespace Opossum.Tests.Decisions;

/// <summary>Those who decide on the same events through one store take turns once they are in each other's way.</summary>
public sealed class DecisionTurnTests : DecisionTests
{
    private const int Deciders = 64;

    private static readonly DecisionProjection<int> seatsTaken = SeatsTakenIn("c1");

    private readonly HeldAppends store;
    private readonly SteppedTime time = new();

    public DecisionTurnTests()
        : base(typeof(SeatTaken)) => store = new HeldAppends(Store);

    private DecisionRetry Retry => new() { Delay = TimeSpan.Zero, TimeProvider = time };

    [Fact(Timeout = 60_000)]
    public async Task Of_many_who_decided_on_the_same_state_each_decides_once_more_and_none_gives_up()
    {
        var deciders =
            Enumerable.Range(0,
                Deciders).Select(number => Task.Run(async () => await store.ExecuteDecisionAsync(seatsTaken, _ => Seat(number)))).ToList();

        await store.LetGoAsync(Deciders);
        await Task.WhenAll(deciders);

        Assert.Equal(((2 * Deciders) - 1, (long)Deciders), (store.Appends, await Store.GetHeadAsync()));
        Assert.Equal(0, DecisionTurns.Of(store).Taken);
    }

    [Fact(Timeout = 60_000)]
    public async Task Those_whose_decisions_also_rest_on_something_of_their_own_take_turns_over_what_they_share()
    {
        var deciders = Enumerable.Range(0, Deciders).Select(number => Task.Run(async () => await store.ExecuteDecisionAsync(
            DecisionProjection.Combine(CoursesOf("s" + number), seatsTaken), _ => Seat(number)))).ToList();

        await store.LetGoAsync(Deciders);
        await Task.WhenAll(deciders);

        Assert.Equal(((2 * Deciders) - 1, (long)Deciders), (store.Appends, await Store.GetHeadAsync()));
    }

    [Fact(Timeout = 60_000)]
    public async Task Who_comes_while_turns_are_taken_waits_and_decides_in_the_order_of_coming()
    {
        var (first, append) = await TakeTurnAsync();
        var order = new List<int>();
        var others = Enumerable.Range(1, 3).Select(number => store.ExecuteDecisionAsync(seatsTaken, _ => Note(order, number), Retry)).ToList();
        Assert.Equal([], order);

        append.SetResult();
        await first;
        foreach (var other in others)
        {
            (await store.NextAsync()).SetResult();
            await other;
        }

        Assert.Equal([1, 2, 3], order);
        Assert.Equal((5L, 0), (await Store.GetHeadAsync(), DecisionTurns.Of(store).Taken));
    }

    [Fact(Timeout = 60_000)]
    public async Task Who_decides_on_other_events_does_not_wait()
    {
        var (first, append) = await TakeTurnAsync();

        var other = store.ExecuteDecisionAsync(SeatsTakenIn("c2"), _ => [new NewEvent(new SeatTaken("c2", "s9"))]);
        (await store.NextAsync()).SetResult();
        await other;

        append.SetResult();
        await first;
        Assert.Equal(3, await Store.GetHeadAsync());
    }

    [Fact(Timeout = 60_000)]
    public async Task Who_is_cancelled_while_waiting_gives_up_the_place_and_decides_nothing()
    {
        var (first, append) = await TakeTurnAsync();
        using var cancellation = new CancellationTokenSource();
        var order = new List<int>();
        var cancelled = store.ExecuteDecisionAsync(seatsTaken, _ => Note(order, 1), Retry, cancellation.Token);
        var next = store.ExecuteDecisionAsync(seatsTaken, _ => Note(order, 2), Retry);

        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        append.SetResult();
        await first;
        (await store.NextAsync()).SetResult();
        await next;

        Assert.Equal([2], order);
        Assert.Equal((3L, 0), (await Store.GetHeadAsync(), DecisionTurns.Of(store).Taken));
    }

    [Fact(Timeout = 60_000)]
    public async Task Whose_turn_does_not_come_goes_on_without_it()
    {
        var (first, append) = await TakeTurnAsync();
        var other = store.ExecuteDecisionAsync(seatsTaken, _ => Seat(9), Retry);

        var wait = await time.NextPauseAsync();
        Assert.Equal(TimeSpan.FromSeconds(10), wait.Length);
        wait.End();
        (await store.NextAsync()).SetResult();
        await other;

        // The first one's decision was overtaken for a second time, and it still has the turn.
        append.SetResult();
        (await store.NextAsync()).SetResult();
        await first;
        Assert.Equal((3L, 0), (await Store.GetHeadAsync(), DecisionTurns.Of(store).Taken));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_turn_that_ends_with_an_exception_is_passed_on()
    {
        var first = store.ExecuteDecisionAsync(seatsTaken, static state => state > 0 ? throw new RefusedException("No.") : Seat(1), Retry);
        await OvertakeAsync();
        await Assert.ThrowsAsync<RefusedException>(() => first);

        var other = store.ExecuteDecisionAsync(seatsTaken, _ => Seat(2));
        (await store.NextAsync()).SetResult();
        await other;

        Assert.Equal(0, DecisionTurns.Of(store).Taken);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_decision_inside_a_decision_that_has_the_turn_does_not_wait_for_it()
    {
        var tries = 0;
        var deciding = Task.Run(async () => await store.ExecuteDecisionAsync(seatsTaken, state =>
        {
            // The second time it has the turn.
            if (++tries == 2)
                store.ExecuteDecisionAsync(seatsTaken, _ => Seat(5), Retry).GetAwaiter().GetResult();
            return Seat(1);
        }, Retry));

        await OvertakeAsync();
        (await store.NextAsync()).SetResult();
        // The inner one has come first, so the outer one is overtaken again.
        (await store.NextAsync()).SetResult();
        (await store.NextAsync()).SetResult();
        await deciding;

        Assert.Equal((3, 3L), (tries, await Store.GetHeadAsync()));
    }

    [Fact(Timeout = 60_000)]
    public async Task Two_that_have_turns_and_decide_on_what_the_other_has_the_turn_for_do_not_wait_for_each_other()
    {
        using var bothHaveTurns = new Barrier(2);
        string[] courses = ["c1", "c2"];
        var deciders = courses.Select(course => Task.Run(async () =>
        {
            var tries = 0;
            await store.ExecuteDecisionAsync(SeatsTakenIn(course), _ =>
            {
                if (++tries == 2)
                {
                    bothHaveTurns.SignalAndWait();
                    var other = courses.Single(each => each != course);
                    store.ExecuteDecisionAsync(SeatsTakenIn(other), _ => [], Retry).GetAwaiter().GetResult();
                    bothHaveTurns.SignalAndWait();
                }
                return [new NewEvent(new SeatTaken(course, "s1"))];
            }, Retry);
        })).ToList();
        TaskCompletionSource[] appends = [await store.NextAsync(), await store.NextAsync()];
        await GivenAsync(new SeatTaken("c1", "s8"), new SeatTaken("c2", "s8"));

        foreach (var append in appends)
            append.SetResult();
        await store.LetGoAsync(2);
        await Task.WhenAll(deciders);

        Assert.Equal((4L, 0), (await Store.GetHeadAsync(), DecisionTurns.Of(store).Taken));
    }

    // One that was overtaken, has the turn now, and is about to append.
    private async Task<(Task Decision, TaskCompletionSource Append)> TakeTurnAsync()
    {
        var decision = store.ExecuteDecisionAsync(seatsTaken, static _ => Seat(1), Retry);
        await OvertakeAsync();
        return (decision, await store.NextAsync());
    }

    private async Task OvertakeAsync()
    {
        var append = await store.NextAsync();
        await GivenAsync(new SeatTaken("c1", "s8"));
        append.SetResult();
    }

    private static NewEvent[] Note(List<int> order, int number)
    {
        order.Add(number);
        return Seat(number);
    }

    private static NewEvent[] Seat(int number) => [new NewEvent(new SeatTaken("c1", "s" + number))];

    private static DecisionProjection<int> SeatsTakenIn(string course) =>
        DecisionProjection.Create(0, new Tag("course", course)).On<SeatTaken>((count, _) => count + 1);

    private static DecisionProjection<int> CoursesOf(string student) =>
        DecisionProjection.Create(0, new Tag("student", student)).On<SeatTaken>((count, _) => count + 1);

    [EventType("seat-taken")]
    private sealed record SeatTaken([property: Tag("course")] string Course, [property: Tag("student")] string Student);
}
