using Opossum.Testing.Given;

namespace Opossum.Testing;

/// <summary>
/// A test in three steps: given these events, when a decision, a projection, a subscription or a reaction runs, then these events or states
/// follow. It runs on the real engine in memory and needs no test framework: a failure is a <see cref="TestFailedException"/>.
/// </summary>
/// <remarks>
/// Every given event must lie inside the boundary of the code under test: one of its queries must match the event. Otherwise the test fails and
/// names the tag or the type that is missing, because a test whose events the code never reads proves nothing.
/// </remarks>
/// <example><code>
/// await Scenario.Of(types)
///     .Given(new CourseDefined("c1", 1), new StudentSubscribed("c1", "s1"))
///     .When(FreeSeats("c1"), free =&gt; free &gt; 0 ? [new NewEvent(new StudentSubscribed("c1", "s2"))] : [])
///     .ThenNothingAsync();
/// </code></example>
public sealed class Scenario
{
    private Scenario(EventTypeRegistry types, TestClock clock)
    {
        Types = types;
        Clock = clock;
        GivenEvents = new GivenEvents(clock);
    }

    /// <summary>The clock of the scenario's store. It gives each event its timestamp when <see cref="Given"/> is called.</summary>
    public TestClock Clock { get; }

    internal EventTypeRegistry Types { get; }

    internal GivenEvents GivenEvents { get; }

    internal bool ChecksTags { get; private set; } = true;

    /// <summary>Starts a scenario without events.</summary>
    /// <param name="types">The event types, as the app registers them.</param>
    /// <param name="clock">The clock. Null, the default: a new one.</param>
    public static Scenario Of(EventTypeRegistry types, TestClock? clock = null)
    {
        ArgumentNullException.ThrowIfNull(types);
        return new Scenario(types, clock ?? new TestClock());
    }

    /// <summary>Adds events that are in the store before the code under test runs; it must read each of them.</summary>
    /// <param name="events">Each a <see cref="NewEvent"/>, or an object of a registered event type.</param>
    /// <returns>This scenario.</returns>
    public Scenario Given(params object[] events)
    {
        GivenEvents.Add(events);
        return this;
    }

    /// <summary>Adds events that are in the store too, at their place among the given ones, and that the code under test must not read.</summary>
    /// <param name="events">Each a <see cref="NewEvent"/>, or an object of a registered event type.</param>
    /// <returns>This scenario.</returns>
    public Scenario GivenOutside(params object[] events)
    {
        GivenEvents.Add(events, isOutside: true);
        return this;
    }

    /// <summary>Moves the clock forward: what is given next, or decided, happens later.</summary>
    /// <param name="time">The duration: 0 or more.</param>
    /// <returns>This scenario.</returns>
    public Scenario After(TimeSpan time)
    {
        Clock.Advance(time);
        return this;
    }

    /// <summary>
    /// Allows a decision to append events of a type that it reads, with tags by which it does not read them. Without it that fails the test, because
    /// the next decision of the kind would not see the event.
    /// </summary>
    /// <returns>This scenario.</returns>
    public Scenario AllowUnreadEvents()
    {
        ChecksTags = false;
        return this;
    }

    /// <summary>Takes a decision on a decision projection, as <see cref="DecisionExtensions"/> does.</summary>
    /// <param name="projection">The projection.</param>
    /// <param name="decide">Returns the events to append.</param>
    public DecisionScenario<TState> When<TState>(DecisionProjection<TState> projection, Func<TState, IReadOnlyList<NewEvent>> decide)
    {
        ArgumentNullException.ThrowIfNull(projection);
        ArgumentNullException.ThrowIfNull(decide);
        return new DecisionScenario<TState>(this, projection, decide);
    }

    /// <summary>Runs any code that reads the store and appends to it, such as a method of the app.</summary>
    /// <param name="decision">Gets the store, to which the given events were appended.</param>
    public DecisionScenario When(Func<IEventStore, Task> decision)
    {
        ArgumentNullException.ThrowIfNull(decision);
        return new DecisionScenario(this, decision);
    }

    /// <summary>Applies the events to a projection.</summary>
    /// <param name="projection">The projection; a new object, or one that several scenarios share.</param>
    public ProjectionScenario<TState> Project<TState>(Projection<TState> projection)
        where TState : class
    {
        ArgumentNullException.ThrowIfNull(projection);
        return new ProjectionScenario<TState>(this, projection);
    }

    /// <summary>Runs a subscriber until it has handled all events, then cancels it.</summary>
    /// <param name="subscriber">Follows the store with <see cref="IEventStore.SubscribeAsync"/> until the token is cancelled.</param>
    public SubscriptionScenario Subscribe(Func<IEventStore, CancellationToken, Task> subscriber)
    {
        ArgumentNullException.ThrowIfNull(subscriber);
        return new SubscriptionScenario(this, subscriber);
    }

    /// <summary>Runs a reaction. The given events are there already; it handles those of <see cref="ReactionScenario.When"/>.</summary>
    /// <param name="create">
    /// Creates the reaction, as each process does: it gets the store, and a recorder for the fakes of the services that the reaction calls. A process
    /// that continues after a crash shares nothing with the one before, so create all objects here.
    /// </param>
    public ReactionScenario React(Func<IEventStore, ReactionCalls, Reaction> create)
    {
        ArgumentNullException.ThrowIfNull(create);
        return new ReactionScenario(this, create);
    }

    internal async Task<ScenarioStore> OpenAsync()
    {
        var storeClock = new StoreClock(Clock);
        var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = Types, TimeProvider = storeClock });
        try
        {
            var outside = await GivenEvents.AppendAsync(store, storeClock, CancellationToken.None).ConfigureAwait(false);
            var given = await store.ReadAsync(Query.All).ToListAsync().ConfigureAwait(false);
            return new ScenarioStore(store, given, outside);
        }
        catch
        {
            await store.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
