using Opossum.Testing.Given;

namespace Opossum.Testing;

/// <summary>A scenario whose second step is a decision. Each Then step runs it on a new store.</summary>
public class DecisionScenario
{
    private readonly Scenario scenario;
    private readonly Func<IEventStore, Task> decision;

    internal DecisionScenario(Scenario scenario, Func<IEventStore, Task> decision)
    {
        this.scenario = scenario;
        this.decision = decision;
    }

    /// <summary>Runs the decision, which must append exactly these events, in this order.</summary>
    /// <param name="expected">Each a <see cref="NewEvent"/>, or an object of a registered event type. Ids and metadata are not compared.</param>
    /// <exception cref="TestFailedException">
    /// The decision appended other events or threw, a given event lies outside its boundary, a decision projection is impure, or an appended
    /// event lacks a tag by which the decision reads its type.
    /// </exception>
    public async Task ThenAsync(params object[] expected)
    {
        ArgumentNullException.ThrowIfNull(expected);
        await CheckAsync(store => store.CheckAppendedAsync([.. expected], "The decision")).ConfigureAwait(false);
    }

    /// <summary>Runs the decision, which must append events for which a rule holds: for ids and other values that the decision makes.</summary>
    /// <param name="rule">The rule in words, for the message.</param>
    /// <param name="holds">Whether it holds for the events, in their order.</param>
    /// <exception cref="TestFailedException">
    /// The rule does not hold or the decision threw, a given event lies outside its boundary, a decision projection is impure, or an appended
    /// event lacks a tag by which the decision reads its type.
    /// </exception>
    public async Task ThenAsync(string rule, Func<IReadOnlyList<SequencedEvent>, bool> holds)
    {
        ArgumentNullException.ThrowIfNull(rule);
        ArgumentNullException.ThrowIfNull(holds);
        await CheckAsync(store => store.CheckAppendedAsync(rule, holds, "The decision")).ConfigureAwait(false);
    }

    /// <summary>Runs the decision, which must append nothing and not throw.</summary>
    /// <inheritdoc cref="ThenAsync(object[])" path="/exception"/>
    public Task ThenNothingAsync() => ThenAsync();

    /// <summary>Runs the decision, which must throw and append nothing.</summary>
    /// <typeparam name="TException">The exception's type, or a base type of it.</typeparam>
    /// <returns>The exception.</returns>
    /// <exception cref="TestFailedException">
    /// The decision did not throw, threw another exception or appended events, a given event lies outside its boundary, or a decision projection is
    /// impure.
    /// </exception>
    public async Task<TException> ThenThrowsAsync<TException>()
        where TException : Exception
    {
        var run = await RunAsync().ConfigureAwait(false);
        await using (run.Store.ConfigureAwait(false))
        {
            await run.Store.CheckAppendedAsync([], "The decision").ConfigureAwait(false);
            return run.Error switch
            {
                TException expected => expected,
                null => throw run.Store.Failure($"The decision did not throw.\nExpected\n  {typeof(TException)}"),
                var other =>
                    throw run.Store.Failure($"The decision threw another exception.\nExpected\n  {typeof(TException)}\nActual\n  "
                        + $"{other.GetType()}: {other.Message}", other),
            };
        }
    }

    internal async Task CheckAsync(Func<ScenarioStore, Task> check)
    {
        var run = await RunAsync().ConfigureAwait(false);
        await using (run.Store.ConfigureAwait(false))
        {
            if (run.Error is { } error)
                throw run.Store.Failure($"The decision threw {error.GetType()}: {error.Message}", error);
            await check(run.Store).ConfigureAwait(false);
        }
    }

    private async Task<(ScenarioStore Store, Exception? Error)> RunAsync()
    {
        var store = await scenario.OpenAsync().ConfigureAwait(false);
        try
        {
            var watched = new WatchedStore(store.Store, scenario.Clock);
            Exception? error = null;
            try
            {
                await decision(watched).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                // A Then step judges it.
                error = e;
            }
            // An exception before the first read, such as a refused argument, is the outcome; nothing was left unread by mistake.
            if (error is null || watched.Queries.Count > 0)
                store.CheckBoundary(watched.Queries, "The decision");
            if (watched.Impurity is { } impurity)
                throw store.Failure($"In the decision, {impurity}.");
            if (scenario.ChecksTags)
                await store.CheckTagsAsync(watched.Appends, "The decision").ConfigureAwait(false);
            return (store, error);
        }
        catch
        {
            await store.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}

/// <summary>A scenario whose second step is a decision on the state of a decision projection.</summary>
/// <typeparam name="TState">The state's type.</typeparam>
public sealed class DecisionScenario<TState> : DecisionScenario
{
    private readonly Scenario scenario;
    private readonly DecisionProjection<TState> projection;

    internal DecisionScenario(Scenario scenario, DecisionProjection<TState> projection, Func<TState, IReadOnlyList<NewEvent>> decide)
        : base(scenario, store => store.ExecuteDecisionAsync(projection, decide))
    {
        this.scenario = scenario;
        this.projection = projection;
    }

    /// <summary>Builds only the state, which must be equal to this one.</summary>
    /// <param name="expected">The state. Collections are compared by their elements, and other objects by their type and fields.</param>
    /// <exception cref="TestFailedException">
    /// The state is another one, a given event lies outside the projection's boundary, or the projection is impure.
    /// </exception>
    public Task ThenStateAsync(TState expected)
    {
        DecisionModel<TState>? model = null;
        var building = new DecisionScenario(scenario, async store => model = await store.BuildDecisionModelAsync(projection).ConfigureAwait(false));
        return building.CheckAsync(store =>
        {
            var (wanted, actual) = (StateText.Of(expected), StateText.Of(model!.State));
            return wanted == actual || Equals(expected, model.State)
                ? Task.CompletedTask
                : throw store.Failure($"The state is another one.\nExpected\n  {wanted}\nActual\n  {actual}");
        });
    }
}
