using Opossum.Testing.Given;

namespace Opossum.Testing;

/// <summary>A scenario whose second step is a subscriber. Each call runs it on a new store.</summary>
public sealed class SubscriptionScenario
{
    private readonly Scenario scenario;
    private readonly Func<IEventStore, CancellationToken, Task> subscriber;

    internal SubscriptionScenario(Scenario scenario, Func<IEventStore, CancellationToken, Task> subscriber)
    {
        this.scenario = scenario;
        this.subscriber = subscriber;
    }

    /// <summary>Runs the subscriber until it has handled all events, also those that it appended itself. The test then judges its effects.</summary>
    /// <exception cref="TestFailedException">The subscriber threw or ended by itself, or a given event lies outside its boundary.</exception>
    public Task RunAsync() => CheckAsync(static _ => Task.CompletedTask);

    /// <summary>Runs the subscriber as <see cref="RunAsync()"/> does; it must append exactly these events, in this order.</summary>
    /// <param name="expected">Each a <see cref="NewEvent"/>, or an object of a registered event type. Ids and metadata are not compared.</param>
    /// <exception cref="TestFailedException">
    /// The subscriber appended other events, threw or ended by itself, or a given event lies outside its boundary.
    /// </exception>
    public async Task ThenAsync(params object[] expected)
    {
        ArgumentNullException.ThrowIfNull(expected);
        await CheckAsync(store => store.CheckAppendedAsync([.. expected], "The subscriber")).ConfigureAwait(false);
    }

    /// <summary>Runs the subscriber as <see cref="RunAsync()"/> does; it must append events for which a rule holds.</summary>
    /// <param name="rule">The rule in words, for the message.</param>
    /// <param name="holds">Whether it holds for the events, in their order.</param>
    /// <exception cref="TestFailedException">
    /// The rule does not hold, the subscriber threw or ended by itself, or a given event lies outside its boundary.
    /// </exception>
    public async Task ThenAsync(string rule, Func<IReadOnlyList<SequencedEvent>, bool> holds)
    {
        ArgumentNullException.ThrowIfNull(rule);
        ArgumentNullException.ThrowIfNull(holds);
        await CheckAsync(store => store.CheckAppendedAsync(rule, holds, "The subscriber")).ConfigureAwait(false);
    }

    private async Task CheckAsync(Func<ScenarioStore, Task> check)
    {
        var store = await scenario.OpenAsync().ConfigureAwait(false);
        await using (store.ConfigureAwait(false))
        {
            await RunAsync(store).ConfigureAwait(false);
            await check(store).ConfigureAwait(false);
        }
    }

    private async Task RunAsync(ScenarioStore store)
    {
        using var stopping = new CancellationTokenSource();
        var watched = new WatchedStore(store.Store, scenario.Clock);
        var running = subscriber(watched, stopping.Token);
        var waiting = store.Store.WaitForSubscriberAsync(stopping.Token);
        await Task.WhenAny(running, waiting).ConfigureAwait(false);
        var hasEnded = running.IsCompleted;
        await stopping.CancelAsync().ConfigureAwait(false);
        if (waiting.IsFaulted)
            await waiting.ConfigureAwait(false);
        try
        {
            await running.ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!hasEnded)
        {
            // As it should end.
        }
        catch (Exception e)
        {
            throw store.Failure($"The subscriber threw {e.GetType()}: {e.Message}", e);
        }
        if (hasEnded)
            throw store.Failure("The subscriber ended by itself. It must follow the store until its token is cancelled.");
        store.CheckBoundary(watched.Queries, "The subscriber");
        if (watched.Impurity is { } impurity)
            throw store.Failure($"In the subscriber, {impurity}.");
    }
}
