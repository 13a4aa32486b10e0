using System.Globalization;
using Opossum.Testing.Given;
using Opossum.Testing.Reacting;

namespace Opossum.Testing;

/// <summary>
/// A scenario whose second step is a reaction. Each Then step runs it by the real engine, on a new disk in memory;
/// <see cref="ThenCrashesAsync"/> runs it many times, with a crash before each of its steps.
/// </summary>
public sealed class ReactionScenario
{
    private const int StepsMax = 10_000;

    // A time that no rule of an app overlooks: an attempt after a crash may be much later than the first one.
    private static readonly TimeSpan downtime = TimeSpan.FromDays(1000);

    private readonly Scenario scenario;
    private readonly Func<IEventStore, ReactionCalls, Reaction> create;
    private readonly List<(TimeSpan After, NewEvent[] Events)> whens = [];
    private readonly List<(string Name, Func<ReactionOutcome, bool> Holds)> rules = [];
    private TimeSpan after;
    private int firstAttempt = 1;

    internal ReactionScenario(Scenario scenario, Func<IEventStore, ReactionCalls, Reaction> create)
    {
        this.scenario = scenario;
        this.create = create;
    }

    /// <summary>Adds events that happen, in one append; the reaction handles them before the next ones happen.</summary>
    /// <param name="events">Each a <see cref="NewEvent"/>, or an object of a registered event type.</param>
    /// <returns>This scenario.</returns>
    public ReactionScenario When(params object[] events)
    {
        ArgumentNullException.ThrowIfNull(events);
        whens.Add((after, [.. events.Select(GivenEvents.ToNewEvent)]));
        after = TimeSpan.Zero;
        return this;
    }

    /// <summary>Moves the scenario's clock forward between two events that happen.</summary>
    /// <param name="time">The duration: 0 or more.</param>
    /// <returns>This scenario.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The duration is negative.</exception>
    public ReactionScenario After(TimeSpan time)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        after += time;
        return this;
    }

    /// <summary>Makes the first handler run the given attempt: the attempts before it ended with their processes, before they did anything.</summary>
    /// <param name="attempt">The value of <see cref="ReactionContext.Attempt"/>: 1 or more. Default: 1.</param>
    /// <returns>This scenario.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is lower than 1.</exception>
    public ReactionScenario AtAttempt(int attempt)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(attempt, 1);
        firstAttempt = attempt;
        return this;
    }

    /// <summary>Adds a rule that holds at the end of every run of <see cref="ThenCrashesAsync"/>.</summary>
    /// <param name="rule">The rule in words, for the message.</param>
    /// <param name="holds">Whether it holds.</param>
    /// <returns>This scenario.</returns>
    public ReactionScenario Always(string rule, Func<ReactionOutcome, bool> holds)
    {
        ArgumentNullException.ThrowIfNull(rule);
        ArgumentNullException.ThrowIfNull(holds);
        rules.Add((rule, holds));
        return this;
    }

    /// <summary>Runs the reaction without a crash; it must append exactly these events, in this order.</summary>
    /// <param name="expected">Each a <see cref="NewEvent"/>, or an object of a registered event type. Ids and metadata are not compared.</param>
    /// <returns>What it has done, for further comparisons.</returns>
    /// <exception cref="TestFailedException">
    /// The reaction appended other events, a handler failed at every attempt, or a given event lies outside its boundary.
    /// </exception>
    public async Task<ReactionOutcome> ThenAsync(params object[] expected)
    {
        ArgumentNullException.ThrowIfNull(expected);
        var run = await RunAsync().ConfigureAwait(false);
        run.Store.CheckAppended([.. expected], run.Outcome.Appended, "The reaction");
        return run.Outcome;
    }

    /// <summary>Runs the reaction without a crash; it must append events for which a rule holds: for ids and other values that it makes.</summary>
    /// <param name="rule">The rule in words, for the message.</param>
    /// <param name="holds">Whether it holds for the events, in their order.</param>
    /// <returns>What it has done, for further comparisons.</returns>
    /// <exception cref="TestFailedException">
    /// The rule does not hold, a handler failed at every attempt, or a given event lies outside its boundary.
    /// </exception>
    public async Task<ReactionOutcome> ThenAsync(string rule, Func<IReadOnlyList<SequencedEvent>, bool> holds)
    {
        ArgumentNullException.ThrowIfNull(rule);
        ArgumentNullException.ThrowIfNull(holds);
        var run = await RunAsync().ConfigureAwait(false);
        run.Store.CheckAppended(rule, holds, run.Outcome.Appended, "The reaction");
        return run.Outcome;
    }

    /// <summary>Runs the reaction without a crash; it must record exactly these calls, in this order.</summary>
    /// <param name="expected">What was passed to <see cref="ReactionCalls.Record"/>.</param>
    /// <returns>What it has done, for further comparisons.</returns>
    /// <exception cref="TestFailedException">
    /// The reaction recorded other calls, a handler failed at every attempt, or a given event lies outside its boundary.
    /// </exception>
    public async Task<ReactionOutcome> ThenCallsAsync(params string[] expected)
    {
        ArgumentNullException.ThrowIfNull(expected);
        var run = await RunAsync().ConfigureAwait(false);
        CheckCalls([.. expected], run);
        return run.Outcome;
    }

    /// <summary>Runs the reaction without a crash; it must append no event and record no call.</summary>
    /// <exception cref="TestFailedException">
    /// The reaction appended events or recorded calls, a handler failed at every attempt, or a given event lies outside its boundary.
    /// </exception>
    public async Task ThenNothingAsync()
    {
        var run = await RunAsync().ConfigureAwait(false);
        run.Store.CheckAppended([], run.Outcome.Appended, "The reaction");
        CheckCalls([], run);
    }

    /// <summary>
    /// Runs the reaction with a crash before each of its steps, the changes of files, the begins of handlers and the recorded calls: its process is
    /// killed, or the power is cut, and another process continues, 1,000 days later, or at once if the reaction schedules events. Each time, it must
    /// append the same events as without a crash, its calls must have the same effects, and the rules of <see cref="Always"/> must hold.
    /// </summary>
    /// <remarks>
    /// Events are compared by type and tags. Calls with an idempotency key have one effect for each key; calls without one may be repeated, which a
    /// rule can forbid.
    /// </remarks>
    /// <exception cref="TestFailedException">One of these is not so; the message names the crash, the events and the calls.</exception>
    public async Task<CrashReport> ThenCrashesAsync()
    {
        var undisturbed = await RunAsync().ConfigureAwait(false);
        CheckRules(undisturbed, "Without a crash");
        var crashes = 0;
        // What is scheduled would come before the events that happen next.
        var later = undisturbed.HasScheduled ? TimeSpan.Zero : downtime;
        foreach (var cutsPower in (bool[])[false, true])
        {
            for (var step = 0; step < StepsMax; step++)
            {
                var run = new ReactionRun(NewSetting(later), step, cutsPower);
                await run.RunAsync().ConfigureAwait(false);
                if (run.Crash!.EndedBefore is not { } before)
                    break;
                Check(undisturbed, run, $"{(cutsPower ? "After a power cut" : "After the process was killed")} before {before}");
                crashes++;
            }
        }
        return new CrashReport { Crashes = crashes, Steps = undisturbed.Crash!.Count };
    }

    private void Check(ReactionRun undisturbed, ReactionRun run, string when)
    {
        ThrowIfFailed(run, when);
        // A rule of the user says more than a difference.
        CheckRules(run, when);
        if (CrashJudge.Find(undisturbed.Outcome, run.Outcome) is { } difference)
            throw run.Store.Failure($"{when}:\n{difference}");
    }

    private void CheckRules(ReactionRun run, string when)
    {
        foreach (var (name, holds) in rules)
        {
            if (holds(run.Outcome))
                continue;
            throw run.Store.Failure($"{when}, the rule \"{name}\" is broken.\n"
                + EventText.List("Appended", run.Outcome.Appended.Select(static e => EventText.Of(e))) + "\n" + CrashJudge.Calls(run.Outcome));
        }
    }

    private static void CheckCalls(List<string> wanted, ReactionRun run)
    {
        if (wanted.SequenceEqual(run.Outcome.Calls.Select(static call => call.What)))
            return;
        throw run.Store.Failure($"{EventText.List("The reaction made other calls than expected.\nExpected", wanted)}\n"
            + EventText.List("Actual", run.Outcome.Calls.Select(static call => call.ToString())));
    }

    private async Task<ReactionRun> RunAsync()
    {
        var run = new ReactionRun(NewSetting(TimeSpan.Zero));
        await run.RunAsync().ConfigureAwait(false);
        ThrowIfFailed(run, "Without a crash");
        run.Store.CheckBoundary([.. run.Process.Watched.Queries, run.Process.Query], "The reaction");
        if (run.Process.Watched.Impurity is { } impurity)
            throw run.Store.Failure($"In the reaction, {impurity}.");
        return run;
    }

    private static void ThrowIfFailed(ReactionRun run, string when)
    {
        if (run.Process.Reaction.Failure is not var (e, error, isPermanent))
            return;
        throw run.Store.Failure(string.Create(CultureInfo.InvariantCulture, $"{when}, {(isPermanent
            ? $"the handler of {EventText.Of(e)} failed with an error that the reaction calls permanent, so the event would be parked. It"
            : $"every attempt at {EventText.Of(e)} failed. The last one")} threw {error.GetType()}: {error.Message}"), error);
    }

    private ReactionSetting NewSetting(TimeSpan later)
    {
        if (whens.Count == 0)
            throw new InvalidOperationException($"Nothing happens. Call {nameof(When)} with the events that the reaction handles.");
        return new ReactionSetting(scenario, create, after > TimeSpan.Zero ? [.. whens, (after, [])] : [.. whens], firstAttempt, later);
    }
}
