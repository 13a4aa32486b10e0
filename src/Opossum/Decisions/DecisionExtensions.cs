using Opossum.Decisions;

namespace Opossum;

/// <summary>Decisions on a state that follows from events, appended only if that state has not changed since it was read.</summary>
public static class DecisionExtensions
{
    /// <summary>Reads the events that a decision rests on: gives their state, and the condition that guards a decision on it.</summary>
    /// <param name="store">The store.</param>
    /// <param name="projection">What has to be known; several are combined by <see cref="DecisionProjection.Combine{T1, T2}"/>.</param>
    /// <param name="cancellationToken">Ends the read.</param>
    /// <returns>The state at one moment, and a condition whose <see cref="AppendCondition.After"/> is the head of that moment.</returns>
    /// <exception cref="InvalidOperationException">A projection has no handlers.</exception>
    /// <exception cref="ArgumentException">A CLR type that is handled is not registered with the store.</exception>
    /// <exception cref="EventDataException">An event's data cannot be made into the CLR type, or is JSON null.</exception>
    /// <example><code>
    /// var (free, nothingNew) = await store.BuildDecisionModelAsync(FreeSeats("c1"));
    /// if (free > 0)
    ///     await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", "s9")), nothingNew);
    /// </code></example>
    public static async Task<DecisionModel<TState>> BuildDecisionModelAsync<TState>(
        this IEventStore store, DecisionProjection<TState> projection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(projection);
        var folds = new List<DecisionFold>();
        var state = projection.Begin(folds);
        var condition = await DecisionReader.ReadAsync(store, folds, cancellationToken).ConfigureAwait(false);
        return new DecisionModel<TState>(state(), condition);
    }

    /// <summary>Reads, decides and appends; when an event that the decision rests on has come in between, all of it again.</summary>
    /// <param name="store">The store.</param>
    /// <param name="projection">What has to be known; several are combined by <see cref="DecisionProjection.Combine{T1, T2}"/>.</param>
    /// <param name="decide">
    /// Gives the events to append, on the state; with none nothing is appended. It may be called several times, so it does nothing but
    /// decide. What it throws ends the call.
    /// </param>
    /// <param name="retry">How often and after which pauses it is tried again; null, the default: <see cref="DecisionRetry.Default"/>.</param>
    /// <param name="cancellationToken">Ends reads, pauses and the wait for others' decisions; for an append it counts until its turn has come.</param>
    /// <returns>The state that was decided on at last, and where the events went.</returns>
    /// <exception cref="AppendConditionFailedException">The last try's conflict: at every try an event came in between. Nothing was appended.</exception>
    /// <exception cref="InvalidOperationException">A projection has no handlers, or the decision was null.</exception>
    /// <exception cref="ArgumentException">A CLR type that is handled is not registered with the store.</exception>
    /// <exception cref="EventDataException">An event's data cannot be made into the CLR type, or is JSON null.</exception>
    /// <remarks>
    /// Every other exception of <see cref="IEventStore.AppendAsync"/> reaches the caller at once. Each try makes new events with new ids,
    /// so calling this again after an unknown outcome is no safe retry by ids: the state has to tell what was done already.
    /// <para>
    /// After a conflict, those who decide on the same events through the same store object take turns, first come, first served, so that a
    /// hundred callers need no hundred tries. Other processes may still come in between.
    /// </para>
    /// </remarks>
    /// <example><code>
    /// var result = await store.ExecuteDecisionAsync(
    ///     FreeSeats("c1"),
    ///     free => free > 0 ? [new NewEvent(new StudentSubscribed("c1", "s9"))] : []);
    /// Console.WriteLine(result.Appended is { } appended ? $"subscribed by event {appended.LastPosition}" : "the course is full");
    /// </code></example>
    public static Task<DecisionResult<TState>> ExecuteDecisionAsync<TState>(
        this IEventStore store, DecisionProjection<TState> projection, Func<TState, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(projection);
        ArgumentNullException.ThrowIfNull(decide);
        return store.ExecuteDecisionAsync(projection, (state, _) => Task.FromResult(decide(state)), retry, cancellationToken);
    }

    /// <summary>Reads, decides and appends, where deciding waits for something; when an event that the decision rests on has come in between, all of it again.</summary>
    /// <inheritdoc cref="ExecuteDecisionAsync{TState}(IEventStore, DecisionProjection{TState}, Func{TState, IReadOnlyList{NewEvent}}, DecisionRetry?, CancellationToken)"/>
    /// <param name="store">The store.</param>
    /// <param name="projection">What has to be known; several are combined by <see cref="DecisionProjection.Combine{T1, T2}"/>.</param>
    /// <param name="decide">
    /// Gives the events to append, on the state and with the call's token; with none nothing is appended. It may be called several times, so what it
    /// does besides deciding must do no harm when it is done again. What it throws ends the call. The longer it takes, the more conflicts there are.
    /// </param>
    /// <param name="retry">How often and after which pauses it is tried again; null, the default: <see cref="DecisionRetry.Default"/>.</param>
    /// <param name="cancellationToken">Ends reads and pauses; for an append it counts until its turn has come.</param>
    /// <example><code>
    /// var result = await store.ExecuteDecisionAsync(
    ///     FreeSeats("c1"),
    ///     async (free, cancellation) => free > 0 ? [new NewEvent(new StudentSubscribed("c1", await registry.NumberOfAsync("s9", cancellation)))] : []);
    /// </code></example>
    public static async Task<DecisionResult<TState>> ExecuteDecisionAsync<TState>(
        this IEventStore store, DecisionProjection<TState> projection, Func<TState, CancellationToken, Task<IReadOnlyList<NewEvent>>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decide);
        retry ??= DecisionRetry.Default;
        using var turn = new DecisionTurn(store, retry.TimeProvider);
        await turn.JoinAsync(projection, cancellationToken).ConfigureAwait(false);
        for (var retries = 0; ; retries++)
        {
            turn.Surround();
            var (state, condition) = await store.BuildDecisionModelAsync(projection, cancellationToken).ConfigureAwait(false);
            var events = await decide(state, cancellationToken).ConfigureAwait(false) ?? throw new InvalidOperationException("The decision was null; to append nothing, decide for an empty list: [].");
            if (events.Count == 0)
                return new DecisionResult<TState>(state, null);
            try
            {
                return new DecisionResult<TState>(state, await store.AppendAsync(events, condition, cancellationToken).ConfigureAwait(false));
            }
            catch (AppendConditionFailedException conflict) when (retries < retry.MaxRetryAttempts)
            {
                if (!await turn.TakeAsync(conflict, cancellationToken).ConfigureAwait(false))
                    await retry.PauseAsync(retries, cancellationToken).ConfigureAwait(false);
            }
        }
    }
}
