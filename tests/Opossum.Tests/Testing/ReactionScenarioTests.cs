using Opossum.Testing;
using Opossum.TestingTests.Examples;
using Opossum.Tests;

namespace Opossum.TestingTests;

/// <summary>Given, when, then for reactions, and crashes between every two of their steps.</summary>
public sealed class ReactionScenarioTests(ITestOutputHelper output)
{
    private static readonly ShopOrderPlaced placed = new("o1", "ada");
    private static readonly ShopOrderPaid paid = new("o1");

    [Fact]
    public async Task Appended_events_and_calls_are_those_of_the_events_that_happen()
    {
        var scenario = Scenario.Of(ShopReaction.Types).Given(placed, new ShopOrderPaid("o1")).React(ShopReaction.Correct).When(paid);

        var outcome = await scenario.ThenAsync(new ShopConfirmationSent("o1"));

        Assert.Equal([3L], outcome.Calls.Select(call => call.Position));
        Assert.Equal(1, Assert.Single(outcome.Calls).Attempt);
        await scenario.ThenCallsAsync("mail to ada");
    }

    [Fact]
    public async Task Other_events_and_other_calls_are_reported_with_those_that_were_expected()
    {
        var scenario = Scenario.Of(ShopReaction.Types).Given(placed).React(ShopReaction.Correct).When(paid);

        var events = await Assert.ThrowsAsync<TestFailedException>(() => scenario.ThenAsync(new ShopConfirmationSent("o2")));
        Assert.Contains("""
            Expected
              shop-confirmation-sent {"order":"o2"} [order:o2]
            Actual
              shop-confirmation-sent {"order":"o1"} [order:o1]
            """.ReplaceLineEndings("\n"), events.Message, StringComparison.Ordinal);
        var calls = await Assert.ThrowsAsync<TestFailedException>(() => scenario.ThenCallsAsync());
        Assert.Contains("Expected\n  (nothing)\nActual\n  mail to ada, key ", calls.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Nothing_is_neither_an_event_nor_a_call()
    {
        await Scenario.Of(ShopReaction.Types).React(ShopReaction.Correct).When(placed).ThenNothingAsync();

        var appending = Scenario.Of(ShopReaction.Types).Given(placed).React(ShopReaction.Correct).When(paid);
        await Assert.ThrowsAsync<TestFailedException>(appending.ThenNothingAsync);
        var calling = Scenario.Of(ShopReaction.Types).React((_, calls) => new ShopReaction((_, _, _) =>
        {
            calls.Record("done");
            return Task.CompletedTask;
        })).When(paid);
        await Assert.ThrowsAsync<TestFailedException>(calling.ThenNothingAsync);
    }

    [Fact]
    public async Task An_error_that_the_reaction_calls_permanent_fails_at_the_first_attempt()
    {
        var attempts = 0;
        var failure = await Assert.ThrowsAsync<TestFailedException>(() => Scenario.Of(ShopReaction.Types).Given(placed)
            .React((_, _) => new Impatient(() => attempts++ == 0)).When(paid).ThenAsync());

        Assert.Equal(1, attempts);
        Assert.Contains("calls permanent, so the event would be parked. It threw System.TimeoutException", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Given_event_that_the_reaction_does_not_read_is_reported()
    {
        var failure = await Assert.ThrowsAsync<TestFailedException>(() => Scenario.Of(ShopReaction.Types).Given(new ShopOrderPlaced("o2", "ben"))
            .React((_, _) => new ShopReaction((_, _, _) => Task.CompletedTask)).When(paid).ThenAsync());

        Assert.Contains("The reaction does not read the given event 1", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Handler_is_told_the_attempt_that_the_test_chooses(int attempt)
    {
        var outcome = await Scenario.Of(ShopReaction.Types).Given(placed).React(ShopReaction.Correct).When(paid).AtAttempt(attempt)
            .ThenAsync(new ShopConfirmationSent("o1"));

        Assert.Equal([attempt], outcome.Calls.Select(call => call.Attempt));
    }

    [Fact]
    public async Task Clock_is_moved_between_two_events_that_happen()
    {
        var clock = new TestClock();
        var begin = clock.GetUtcNow();
        var times = new List<DateTimeOffset>();
        var outcome = await Scenario.Of(ShopReaction.Types, clock)
            .React((_, calls) => new ShopReaction((order, context, _) =>
            {
                times.Add(clock.GetUtcNow());
                calls.Record($"{order.Order} at {context.Event.Timestamp - begin}");
                return Task.CompletedTask;
            }))
            .When(paid).After(TimeSpan.FromDays(3)).When(new ShopOrderPaid("o2")).ThenCallsAsync("o1 at 00:00:00", "o2 at 3.00:00:00");

        Assert.Equal([begin, begin + TimeSpan.FromDays(3)], times);
        Assert.Empty(outcome.Appended);
        Assert.Equal(begin, clock.GetUtcNow());
    }

    [Fact]
    public async Task Handler_that_fails_at_first_is_retried_and_one_that_always_fails_is_reported()
    {
        var failures = 0;
        await Scenario.Of(ShopReaction.Types)
            .React((_, calls) => new ShopReaction((_, context, _) =>
            {
                if (failures++ < 2)
                    throw new InvalidOperationException("not yet");
                calls.Record("done", context.IdempotencyKey);
                return Task.CompletedTask;
            }))
            .When(paid).ThenCallsAsync("done");

        var failure = await Assert.ThrowsAsync<TestFailedException>(() => Scenario.Of(ShopReaction.Types)
            .React((_, _) => new ShopReaction((_, _, _) => throw new InvalidOperationException("never"))).When(paid).ThenAsync());
        Assert.Contains("every attempt at 1 shop-order-paid", failure.Message, StringComparison.Ordinal);
        Assert.Contains("InvalidOperationException: never", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Key_that_throws_is_reported()
    {
        var failure = await Assert.ThrowsAsync<TestFailedException>(() => Scenario.Of(ShopReaction.Types)
            .React((_, _) => new KeylessReaction()).When(paid).ThenAsync());

        Assert.Contains("1 shop-order-paid", failure.Message, StringComparison.Ordinal);
        Assert.Contains("InvalidOperationException: no key", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Handler_that_goes_on_on_another_thread_is_waited_for()
    {
        var outcome = await Scenario.Of(ShopReaction.Types)
            .React((_, calls) => new ShopReaction(async (_, context, _) =>
            {
                await Task.Yield();
                calls.Record("one", context.IdempotencyKey);
                await Task.Yield();
                calls.Record("two", context.IdempotencyKey);
            }))
            .When(paid, new ShopOrderPaid("o2")).ThenCallsAsync("one", "two", "one", "two");

        Assert.Equal([1L, 1, 2, 2], outcome.Calls.Select(call => call.Position));
    }

    [Fact]
    public async Task Reaction_that_uses_its_context_has_the_same_effects_wherever_it_crashes()
    {
        var crashed = 0;
        var report = await Scenario.Of(ShopReaction.Types).Given(placed).React(ShopReaction.Correct).When(paid)
            .Always("one confirmation", outcome => outcome.Appended.Count(e => e.Data is ShopConfirmationSent) == 1)
            .Always("one key", outcome =>
            {
                crashed += outcome.Calls.Count > 1 ? 1 : 0;
                return outcome.Calls.Select(call => call.IdempotencyKey).Distinct().Count() == 1;
            })
            .ThenCrashesAsync();

        output.WriteLine(report.ToString());
        Assert.Equal(2 * report.Steps, report.Crashes);
        Assert.True(crashed > 4, "A handler that had called ran again.");
    }

    [Fact]
    public async Task Scheduled_event_comes_when_the_clock_is_moved_unless_it_is_cancelled_wherever_the_process_crashes()
    {
        LongTests.SkipUnlessAsked();
        var scheduling = () => Scenario.Of(ShopReaction.Types).React((_, _) => new SchedulingReaction());
        var placedAndPaid = scheduling().When(placed).After(TimeSpan.FromDays(1)).When(paid).After(TimeSpan.FromDays(9));
        var forgotten = scheduling().When(placed).After(TimeSpan.FromDays(9)).Always("one reminder", outcome =>
            outcome.Appended.Count(e => e.Data is ShopReminderNoted) == 1);

        await placedAndPaid.ThenAsync();
        await forgotten.ThenAsync(new ShopReminderNoted("o1"));
        await scheduling().When(placed).After(TimeSpan.FromDays(1)).ThenAsync();
        await placedAndPaid.ThenCrashesAsync();
        var report = await forgotten.ThenCrashesAsync();

        output.WriteLine(report.ToString());
        Assert.Equal(2 * report.Steps, report.Crashes);
    }

    [Fact]
    public async Task Random_key_is_found()
    {
        var failure = await FailureOf((_, calls) => new ShopReaction(async (order, context, cancellationToken) =>
        {
            calls.Record("mail", Guid.NewGuid().ToString());
            await context.AppendAsync(new NewEvent(new ShopConfirmationSent(order.Order)), cancellationToken: cancellationToken);
        }));

        Assert.Contains("The reaction's calls have other effects than without a crash.", failure, StringComparison.Ordinal);
        Assert.Contains("(event 1, attempt 1)\n  mail, key", failure, StringComparison.Ordinal);
        Assert.Contains("context.IdempotencyKey", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Impure_projection_of_a_decision_of_the_context_is_found()
    {
        var clock = new TestClock();
        var impure = DecisionProjection.Create(0, new Tag("order", "o1")).On<ShopOrderPlaced>((_, _) => clock.GetUtcNow().Year);

        var failure = await Assert.ThrowsAsync<TestFailedException>(() => Scenario.Of(ShopReaction.Types, clock).Given(placed)
            .React((_, _) => new ShopReaction((_, context, cancellationToken) =>
                context.ExecuteDecisionAsync(impure, static _ => [], cancellationToken: cancellationToken)))
            .When(paid).ThenAsync());

        Assert.StartsWith("In the reaction, a decision projection is impure", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Append_by_the_store_is_found()
    {
        var failure = await FailureOf((store, _) => new ShopReaction((order, _, cancellationToken) =>
            store.AppendAsync(new NewEvent(new ShopConfirmationSent(order.Order)), cancellationToken: cancellationToken)));

        Assert.Contains("The reaction appended other events than without a crash.", failure, StringComparison.Ordinal);
        Assert.Contains("Only what it appends by its context", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Appends_whose_order_depends_on_the_time_are_found()
    {
        var clock = new TestClock();
        var due = clock.GetUtcNow() + TimeSpan.FromDays(1);
        var failure = await FailureOf((_, _) => new ShopReaction(async (order, context, cancellationToken) =>
        {
            if (clock.GetUtcNow() < due)
                await context.AppendAsync(new NewEvent(new ShopReminderNoted(order.Order)), cancellationToken: cancellationToken);
            await context.AppendAsync(new NewEvent(new ShopConfirmationSent(order.Order)), cancellationToken: cancellationToken);
        }), clock);

        Assert.Contains("with the calls in the same order at every attempt", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Broken_rule_of_the_test_is_reported_with_the_crash()
    {
        var failure = await Assert.ThrowsAsync<TestFailedException>(() => Scenario.Of(ShopReaction.Types).Given(placed).React(ShopReaction.Correct)
            .When(paid).Always("one call", outcome => outcome.Calls.Count == 1).ThenCrashesAsync());

        Assert.StartsWith("After the process was killed before ", failure.Message, StringComparison.Ordinal);
        Assert.Contains("the rule \"one call\" is broken.", failure.Message, StringComparison.Ordinal);
        Assert.Contains("(event 2, attempt 2)", failure.Message, StringComparison.Ordinal);
    }

    private async Task<string> FailureOf(Func<IEventStore, ReactionCalls, Reaction> create, TestClock? clock = null)
    {
        var scenario = Scenario.Of(ShopReaction.Types, clock).React(create).When(paid);
        var failure = await Assert.ThrowsAsync<TestFailedException>(scenario.ThenCrashesAsync);
        output.WriteLine(failure.Message);
        return failure.Message;
    }

    private sealed class KeylessReaction : Reaction
    {
        public KeylessReaction()
            : base("keyless")
        {
            StartFrom(ReactionStart.Beginning);
            KeyBy(static _ => throw new InvalidOperationException("no key"));
            On<ShopOrderPaid>(static (_, _, _) => Task.CompletedTask);
        }
    }

    private sealed class SchedulingReaction : Reaction
    {
        public SchedulingReaction()
            : base("scheduling")
        {
            StartFrom(ReactionStart.Beginning);
            KeyBy("order");
            On<ShopOrderPlaced>((order, context, cancellationToken) => context.ScheduleAsync(context.Event.Timestamp + TimeSpan.FromDays(7),
                new NewEvent(new ShopReminderNoted(order.Order)), Query.For<ShopOrderPaid>(new Tag("order", order.Order)), cancellationToken));
        }
    }

    // It takes for permanent what passes.
    private sealed class Impatient : Reaction
    {
        public Impatient(Func<bool> fails)
            : base("impatient")
        {
            KeyBy("order");
            StartFrom(ReactionStart.Beginning);
            On<ShopOrderPlaced>(static (_, _, _) => Task.CompletedTask);
            On<ShopOrderPaid>((_, _, _) => fails() ? throw new TimeoutException() : Task.CompletedTask);
        }

        protected override bool IsPermanent(Exception exception) => exception is TimeoutException;
    }
}
