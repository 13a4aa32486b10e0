using Opossum.Testing.Given;
using Opossum.Testing.Races;

namespace Opossum.Testing;

/// <summary>The description of a race, made by <see cref="Race.Explore(RaceDecision[])"/>.</summary>
public sealed class RaceTest
{
    private const int DecisionsMax = 8;

    private readonly IReadOnlyList<RaceDecision> decisions;
    private readonly List<RaceRule> rules = [];
    private EventTypeRegistry types = new();
    private GivenEvents given = new(new TestClock());
    private int interleavingsMax = 10_000;
    private int seed = 1;
    private bool checksTags = true;

    internal RaceTest(IReadOnlyList<RaceDecision> decisions)
    {
        if (decisions.Count is < 2 or > DecisionsMax || decisions.Contains(null!))
        {
            throw new ArgumentException($"A race has 2 to {DecisionsMax} decisions, and none of them may be null; these are {decisions.Count}.",
                nameof(decisions));
        }

        this.decisions = decisions;
    }

    /// <summary>Sets the event types. Default: none, for events without CLR types.</summary>
    /// <param name="eventTypes">The event types, as the app registers them.</param>
    /// <param name="clock">The clock of the store, at which the decisions look too. Null, the default: a new one.</param>
    /// <returns>This description.</returns>
    /// <exception cref="InvalidOperationException">Events were given before.</exception>
    public RaceTest With(EventTypeRegistry eventTypes, TestClock? clock = null)
    {
        ArgumentNullException.ThrowIfNull(eventTypes);
        if (given.Count > 0)
            throw new InvalidOperationException($"Call {nameof(With)} before {nameof(Given)}: the clock gives the events their timestamps.");
        types = eventTypes;
        given = new GivenEvents(clock ?? new TestClock());
        return this;
    }

    /// <summary>Adds events that are in the store before the race, with the current time of the clock.</summary>
    /// <param name="events">Each a <see cref="NewEvent"/>, or an object of a registered event type.</param>
    /// <returns>This description.</returns>
    public RaceTest Given(params object[] events)
    {
        given.Add(events);
        return this;
    }

    /// <summary>Moves the clock forward: what is given next, or decided, happens later.</summary>
    /// <param name="time">The duration: 0 or more.</param>
    /// <returns>This description.</returns>
    public RaceTest After(TimeSpan time)
    {
        given.Clock.Advance(time);
        return this;
    }

    /// <summary>Adds a rule that must hold after each append of the race.</summary>
    /// <param name="rule">The rule in words, for the report.</param>
    /// <param name="holds">Whether it holds for all events of the store. An exception counts as broken, so it may use assertions.</param>
    /// <returns>This description.</returns>
    public RaceTest Always(string rule, Func<IReadOnlyList<SequencedEvent>, bool> holds) => Add(rule, holds, isAlways: true);

    /// <summary>Adds a rule that must hold when all decisions have ended.</summary>
    /// <param name="rule">The rule in words, for the report.</param>
    /// <param name="holds">Whether it holds for all events of the store. An exception counts as broken, so it may use assertions.</param>
    /// <returns>This description.</returns>
    public RaceTest Then(string rule, Func<IReadOnlyList<SequencedEvent>, bool> holds) => Add(rule, holds, isAlways: false);

    /// <summary>Sets the bound for large races.</summary>
    /// <param name="interleavings">
    /// The most interleavings. Default: 10,000. If there are more, three quarters are those with the fewest switches between the decisions, and the
    /// others are random.
    /// </param>
    /// <param name="randomSeed">The seed of the random ones. Default: 1.</param>
    /// <returns>This description.</returns>
    public RaceTest AtMost(int interleavings, int randomSeed = 1)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(interleavings, 1);
        interleavingsMax = interleavings;
        seed = randomSeed;
        return this;
    }

    /// <summary>
    /// Allows decisions to append events of a type that they read, with tags by which they do not read them. Without it that is a fault, because the
    /// next decision of the kind would not see the event.
    /// </summary>
    /// <returns>This description.</returns>
    public RaceTest AllowUnreadEvents()
    {
        checksTags = false;
        return this;
    }

    /// <summary>Explores the race.</summary>
    /// <param name="cancellationToken">Cancels the exploration between two interleavings.</param>
    /// <returns>How much was explored.</returns>
    /// <exception cref="TestFailedException">
    /// A rule is broken, a side effect happened in an attempt that failed, a decision projection is impure, an event lacks a tag by which its
    /// decision reads, the store refused a call, no decision ever appended anything, a decision threw in every interleaving (another exception than
    /// an <see cref="AppendConditionFailedException"/>), or a decision does not repeat. The message has the shortest interleaving that was found,
    /// without the decisions and the given events that it does not need.
    /// </exception>
    /// <exception cref="InvalidOperationException">There is no rule.</exception>
    public Task<RaceReport> RunAsync(CancellationToken cancellationToken = default)
    {
        if (rules.Count == 0)
            throw new InvalidOperationException($"The race has no rule. Add one with {nameof(Always)} or {nameof(Then)}.");
        var setting = new RaceSetting(types, given, rules, checksTags);
        // On the pool, so that no synchronization context and no caller's thread takes part.
        return Task.Run(() => RaceSearch.Run(setting, decisions, interleavingsMax, seed, cancellationToken), cancellationToken);
    }

    private RaceTest Add(string rule, Func<IReadOnlyList<SequencedEvent>, bool> holds, bool isAlways)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(rule);
        ArgumentNullException.ThrowIfNull(holds);
        rules.Add(new RaceRule(rule, holds, isAlways));
        return this;
    }
}
