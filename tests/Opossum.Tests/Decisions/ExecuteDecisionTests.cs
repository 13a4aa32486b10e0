using static Opossum.Tests.Events;

namespace Opossum.Tests.Decisions;

/// <summary>Reading, deciding, appending, and doing so again.</summary>
public sealed class ExecuteDecisionTests() : DecisionTests(typeof(Counted))
{
    private static readonly DecisionProjection<int> count = DecisionProjection.Create(0).On<Counted>((count, _) => count + 1);

    private int tries;

    [Fact]
    public async Task The_result_tells_the_state_decided_on_and_where_the_events_went()
    {
        await GivenAsync(new Counted());

        var result = await Store.ExecuteDecisionAsync(count, state => [new NewEvent(new Counted()), New("remarked")]);

        Assert.Equal((1, new AppendResult { FirstPosition = 2, LastPosition = 3 }), (result.State, result.Appended));
    }

    [Fact]
    public async Task A_decision_may_wait_for_something_and_is_made_again_after_a_conflict()
    {
        var overtaken = new OvertakenStore(Store, () => GivenAsync(new Counted()));
        using var cancellation = new CancellationTokenSource();

        var result = await overtaken.ExecuteDecisionAsync(
            count,
            async (state, token) =>
            {
                tries++;
                Assert.Equal(cancellation.Token, token);
                await Store.GetHeadAsync(token);
                return [new NewEvent(new Counted())];
            },
            cancellationToken: cancellation.Token);

        Assert.Equal((2, 1, new AppendResult { FirstPosition = 2, LastPosition = 2 }), (tries, result.State, result.Appended));
    }

    [Fact]
    public async Task A_decision_for_no_events_appends_none()
    {
        await GivenAsync(new Counted());

        var result = await Store.ExecuteDecisionAsync(count, state => []);

        Assert.Equal((1, (AppendResult?)null), (result.State, result.Appended));
        Assert.Equal(1, await Store.GetHeadAsync());
    }

    [Fact]
    public async Task What_the_decision_throws_reaches_the_caller_at_once()
    {
        await Assert.ThrowsAsync<RefusedException>(async () => await Store.ExecuteDecisionAsync(count, state =>
        {
            tries++;
            throw new RefusedException("No.");
        }));

        Assert.Equal((1, 0), (tries, await Store.GetHeadAsync()));
    }

    [Fact]
    public async Task A_conflict_that_the_decision_throws_is_not_its_own()
    {
        var conflict = new AppendConditionFailedException(new AppendCondition(Query.All), 1, 1);

        Assert.Same(conflict, await Assert.ThrowsAsync<AppendConditionFailedException>(async () => await Store.ExecuteDecisionAsync(count, state =>
        {
            tries++;
            throw conflict;
        })));

        Assert.Equal(1, tries);
    }

    [Fact]
    public async Task A_decision_of_null_is_refused() =>
        Assert.Contains("[]",
            (await Assert.ThrowsAsync<InvalidOperationException>(async () => await Store.ExecuteDecisionAsync(count, state => null!))).Message,
            StringComparison.Ordinal);

    [Fact]
    public async Task Another_error_than_a_conflict_reaches_the_caller_at_once()
    {
        await Assert.ThrowsAsync<ArgumentException>(async () => await Store.ExecuteDecisionAsync(count, state =>
        {
            tries++;
            return [new NewEvent("not registered")];
        }));

        Assert.Equal(1, tries);
    }

    [Fact]
    public async Task Whoever_is_overtaken_decides_again_on_what_is_then()
    {
        var overtaken = new OvertakenStore(Store, () => GivenAsync(new Counted()), times: 2);

        var result = await overtaken.ExecuteDecisionAsync(count, CountOn);

        Assert.Equal((3, 2, new AppendResult { FirstPosition = 3, LastPosition = 3 }), (tries, result.State, result.Appended));
    }

    [Fact]
    public async Task Whoever_is_overtaken_may_decide_to_append_nothing()
    {
        var overtaken = new OvertakenStore(Store, () => GivenAsync(new Counted()));

        var result = await overtaken.ExecuteDecisionAsync(count, state => state == 0 ? [new NewEvent(new Counted())] : []);

        Assert.Equal((1, (AppendResult?)null), (result.State, result.Appended));
        Assert.Equal(1, await Store.GetHeadAsync());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public async Task Whoever_is_overtaken_again_and_again_hears_of_the_last_conflict(int retries)
    {
        var overtaken = new OvertakenStore(Store, () => GivenAsync(new Counted()), int.MaxValue);

        var conflict =
            await Assert.ThrowsAsync<AppendConditionFailedException>(async () => await overtaken.ExecuteDecisionAsync(count, CountOn,
                new DecisionRetry { MaxRetryAttempts = retries }));

        Assert.Equal((retries + 1, retries + 1, retries), (tries, conflict.ConflictingPosition, conflict.Condition.After));
        Assert.Equal(retries + 1, await Store.GetHeadAsync());
    }

    // The pauses of the default take their time.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Without_other_wishes_a_decision_is_made_ten_times(bool pauses)
    {
        LongTests.SkipUnless(!pauses);
        var overtaken = new OvertakenStore(Store, () => GivenAsync(new Counted()), int.MaxValue);
        var retry = pauses ? null : new DecisionRetry { Delay = TimeSpan.Zero };

        await Assert.ThrowsAsync<AppendConditionFailedException>(async () => await overtaken.ExecuteDecisionAsync(count, CountOn, retry));

        Assert.Equal(10, tries);
    }

    [Fact]
    public async Task Pauses_go_by_the_clock_given_are_random_and_have_a_bound_that_doubles_up_to_the_highest()
    {
        var time = new SteppedTime();
        var overtaken = new OvertakenStore(Store, () => GivenAsync(new Counted()), int.MaxValue);
        var retry =
            new DecisionRetry { MaxRetryAttempts = 19, Delay = TimeSpan.FromHours(1), MaxDelay = TimeSpan.FromHours(10), TimeProvider = time };
        var pauses = new List<TimeSpan>();

        var execution = overtaken.ExecuteDecisionAsync(count, CountOn, retry);
        for (var number = 0; number < 19; number++)
        {
            var pause = await time.NextPauseAsync();
            Assert.Equal((number + 1, false), (tries, execution.IsCompleted));
            Assert.InRange(pause.Length, TimeSpan.Zero, TimeSpan.FromHours(Math.Min(1 << number, 10)));
            pauses.Add(pause.Length);
            pause.End();
        }
        await Assert.ThrowsAsync<AppendConditionFailedException>(() => execution);

        Assert.Equal(19, pauses.Distinct().Count());
        Assert.Contains(pauses, pause => pause > TimeSpan.FromHours(1));
    }

    [Fact]
    public async Task A_cancellation_ends_a_pause_and_nothing_is_decided_after_it()
    {
        var time = new SteppedTime();
        using var cancellation = new CancellationTokenSource();
        var overtaken = new OvertakenStore(Store, () => GivenAsync(new Counted()), int.MaxValue);

        var execution =
            overtaken.ExecuteDecisionAsync(count, CountOn, new DecisionRetry { Delay = TimeSpan.FromHours(1), TimeProvider = time },
                cancellation.Token);
        await time.NextPauseAsync();
        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => execution);
        Assert.Equal((1, 1), (tries, await Store.GetHeadAsync()));
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 0)]
    public async Task Without_pauses_it_is_tried_as_often_as_was_said(int pauseFirst, int pauseMax)
    {
        var overtaken = new OvertakenStore(Store, () => GivenAsync(new Counted()), int.MaxValue);
        // A pause by this clock never ends.
        var retry =
            new DecisionRetry
            {
                MaxRetryAttempts = 99,
                Delay = TimeSpan.FromHours(pauseFirst),
                MaxDelay = TimeSpan.FromHours(pauseMax),
                TimeProvider = new SteppedTime()
            };

        var execution = overtaken.ExecuteDecisionAsync(count, CountOn, retry);

        await Assert.ThrowsAsync<AppendConditionFailedException>(() => execution.WaitAsync(TimeSpan.FromMinutes(1)));
        Assert.Equal(100, tries);
    }

    [Fact]
    public async Task The_bound_of_a_pause_is_right_for_any_number_of_tries()
    {
        var time = new SteppedTime();
        var retry = new DecisionRetry { Delay = TimeSpan.FromDays(1), MaxDelay = TimeSpan.FromDays(1), TimeProvider = time };

        var pausing = retry.PauseAsync(int.MaxValue, CancellationToken.None);

        var pause = await time.NextPauseAsync();
        Assert.InRange(pause.Length, TimeSpan.Zero, TimeSpan.FromDays(1));
        pause.End();
        await pausing;
    }

    [Fact]
    public void Retries_have_bounds()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new DecisionRetry { MaxRetryAttempts = -1 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new DecisionRetry { Delay = TimeSpan.FromTicks(-1) });
        Assert.Throws<ArgumentOutOfRangeException>(() => new DecisionRetry { MaxDelay = TimeSpan.FromDays(1) + TimeSpan.FromTicks(1) });
        Assert.Throws<ArgumentNullException>(() => new DecisionRetry { TimeProvider = null! });
    }

    private NewEvent[] CountOn(int state)
    {
        tries++;
        return [new NewEvent(new Counted())];
    }

    [EventType("counted")]
    private sealed record Counted;
}
