using System.Text.Json;
using Opossum.Testing.Given;

namespace Opossum.Testing;

/// <summary>A scenario whose second step is a projection. Each Then step builds its states in a new store, by the real projection runner.</summary>
/// <typeparam name="TState">The type of a key's state.</typeparam>
public sealed class ProjectionScenario<TState>
    where TState : class
{
    private readonly Scenario scenario;
    private readonly Projection<TState> projection;

    internal ProjectionScenario(Scenario scenario, Projection<TState> projection)
    {
        this.scenario = scenario;
        this.projection = projection;
    }

    /// <summary>Builds the states; the key's state must be this one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="expected">The state; it is compared as JSON, sets and dictionaries whatever their order.</param>
    /// <exception cref="TestFailedException">
    /// The state is another one or missing, an event cannot be applied or lies outside the projection's query, or the projection is impure.
    /// </exception>
    public Task ThenAsync(string key, TState expected)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(expected);
        return CheckAsync(key, ToJson(expected));
    }

    /// <summary>Builds the states; the key must have none.</summary>
    /// <param name="key">The key.</param>
    /// <exception cref="TestFailedException">
    /// The key has a state, an event cannot be applied or lies outside the projection's query, or the projection is impure.
    /// </exception>
    public Task ThenNoneAsync(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return CheckAsync(key, null);
    }

    private async Task CheckAsync(string key, string? expected)
    {
        var store = await scenario.OpenAsync().ConfigureAwait(false);
        await using (store.ConfigureAwait(false))
        {
            store.CheckBoundary([projection.Query], $"The projection {projection.Name}");
            var running = store.Store.StartProjections([projection], new ProjectionOptions { MaxRetryAttempts = 0 });
            await using (running.ConfigureAwait(false))
            {
                var states = await ReadStatesAsync(store).ConfigureAwait(false);
                await CheckPurityAsync(store, states).ConfigureAwait(false);
                var actual = states.GetValueOrDefault(key);
                if (AreEqual(expected, actual))
                    return;
                throw store.Failure($"The state of the key \"{key}\" in the projection {projection.Name} is another one.\nExpected\n  "
                    + $"{expected ?? "(none)"}\nActual\n  {actual ?? "(none)"}\n"
                    + EventText.List("Keys", states.Keys.Order(StringComparer.Ordinal)));
            }
        }
    }

    private async Task<Dictionary<string, string>> ReadStatesAsync(ScenarioStore store)
    {
        try
        {
            await store.Store.WaitForAllAsync().ConfigureAwait(false);
        }
        catch (ProjectionException e) when (e.Fault is not null)
        {
            throw store.Failure($"The projection {projection.Name} cannot apply an event. {e.Message}", e);
        }
        var states = new Dictionary<string, string>(StringComparer.Ordinal);
        await foreach (var entry in store.Store.Projections.Get<TState>(projection.Name).ReadAllAsync().ConfigureAwait(false))
            states.Add(entry.Key, ToJson(entry.State));
        return states;
    }

    private async Task CheckPurityAsync(ScenarioStore store, Dictionary<string, string> before)
    {
        scenario.Clock.Shift = TimeSpan.FromDays(1000);
        try
        {
            await store.Store.Projections[projection.Name].RebuildAsync().ConfigureAwait(false);
        }
        finally
        {
            scenario.Clock.Shift = TimeSpan.Zero;
        }
        var after = await ReadStatesAsync(store).ConfigureAwait(false);
        var changed = before.Keys.Union(after.Keys).Order(StringComparer.Ordinal)
            .FirstOrDefault(key => !AreEqual(before.GetValueOrDefault(key), after.GetValueOrDefault(key)));
        if (changed is null)
            return;
        throw store.Failure($"The projection {projection.Name} is impure: the same events gave the key \"{changed}\" two states.\nFirst\n  "
            + $"{before.GetValueOrDefault(changed) ?? "(none)"}\nRebuilt, when the clock was moved\n  "
            + $"{after.GetValueOrDefault(changed) ?? "(none)"}\nIts handlers may depend only on the state and the event.");
    }

    // As JSON, or as the library reads it: then sets are equal whatever their order.
    private bool AreEqual(string? one, string? other) => one == other
        || (one is not null && other is not null
            && (JsonElement.DeepEquals(JsonElement.Parse(one), JsonElement.Parse(other))
                || ContentOf(one) == ContentOf(other)));

    private string ContentOf(string json) => StateText.Of(JsonSerializer.Deserialize(json, projection.Json));

    private string ToJson(TState state) => JsonSerializer.Serialize(state, projection.Json);
}
