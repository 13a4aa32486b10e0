using Opossum.Decisions;

namespace Opossum;

/// <summary>Makes decisions on a state built from events, and appends their events only if that state has not changed since the read.</summary>
public static class DecisionExtensions
{
    /// <summary>Reads the events that a decision depends on, and returns their state with the append condition that guards the decision.</summary>
    /// <param name="store">The store.</param>
    /// <param name="projection">The projection that builds the state; combine several with <see cref="DecisionProjection.Combine{T1, T2}"/>.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <returns>The state at one head, and a condition whose <see cref="AppendCondition.After"/> is that head.</returns>
    /// <exception cref="InvalidOperationException">A projection has no handlers.</exception>
    /// <exception cref="ArgumentException">A projection handles a CLR type that is not registered with the store.</exception>
    /// <exception cref="EventDataException">An event's data cannot be converted to the CLR type, or is JSON null.</exception>
    /// <exception cref="PersonalDataException">A query has a pseudonym, or an event personal data, and the keys cannot be used.</exception>
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
        if (store is IDecisionControl control)
            await control.CheckAsync(projection, cancellationToken).ConfigureAwait(false);
        var folds = new List<DecisionFold>();
        var state = projection.Begin(folds);
        var condition = await DecisionReader.ReadAsync(store, folds, cancellationToken).ConfigureAwait(false);
        return new DecisionModel<TState>(state(), condition);
    }

    /// <summary>Reads, decides and appends, and repeats all three when a new event that the decision depends on was appended in between.</summary>
    /// <param name="store">The store.</param>
    /// <param name="projection">The projection that builds the state; combine several with <see cref="DecisionProjection.Combine{T1, T2}"/>.</param>
    /// <param name="decide">
    /// Returns the events to append for a state; an empty list appends nothing. It may be called several times, so it must have no side
    /// effects. An exception from it ends the call.
    /// </param>
    /// <param name="retry">The number of retries and the pauses before them. Null, the default: 9 retries.</param>
    /// <param name="cancellationToken">Cancels reads, pauses and the wait for other decisions; honoured by an append until the append starts.</param>
    /// <returns>The state of the last decision, and the positions of its events.</returns>
    /// <exception cref="AppendConditionFailedException">
    /// The conflict of the last attempt: at every attempt another event was appended in between. Nothing was appended.
    /// </exception>
    /// <exception cref="InvalidOperationException">A projection has no handlers, or the decision was null.</exception>
    /// <exception cref="ArgumentException">A projection handles a CLR type that is not registered with the store.</exception>
    /// <exception cref="EventDataException">An event's data cannot be converted to the CLR type, or is JSON null.</exception>
    /// <remarks>
    /// Every other exception of <see cref="IEventStore.AppendAsync"/> is thrown at once. Each attempt creates new events with new ids, so calling
    /// this method again after an unknown outcome is not a safe retry by id: the state must show what was done already.
    /// <para>
    /// After a conflict, callers that decide on the same events through the same store object take turns, first come, first served, so that a
    /// hundred callers do not need a hundred attempts. Other processes may still append in between.
    /// </para>
    /// </remarks>
    /// <example><code>
    /// var result = await store.ExecuteDecisionAsync(
    ///     FreeSeats("c1"),
    ///     free => free > 0 ? [new NewEvent(new StudentSubscribed("c1", "s9"))] : []);
    /// Console.WriteLine(result.Appended is { } appended ? $"subscribed by event {appended.LastPosition}" : "the course is full");
    /// </code></example>
    public static Task<DecisionResult<TState>> ExecuteDecisionAsync<TState>(
        this IEventStore store, DecisionProjection<TState> projection, Func<TState, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(projection);
        ArgumentNullException.ThrowIfNull(decide);
        return store.ExecuteDecisionAsync(projection, (state, _) => Task.FromResult(decide(state)), retry, cancellationToken);
    }

    /// <summary>
    /// Reads, decides asynchronously and appends, and repeats all three when a new event that the decision depends on was appended in between.
    /// </summary>
    /// <inheritdoc cref="ExecuteDecisionAsync{TState}(IEventStore, DecisionProjection{TState}, Func{TState, IReadOnlyList{NewEvent}}, DecisionRetry?, CancellationToken)"/>
    /// <param name="store">The store.</param>
    /// <param name="projection">The projection that builds the state; combine several with <see cref="DecisionProjection.Combine{T1, T2}"/>.</param>
    /// <param name="decide">
    /// Returns the events to append for a state, given the call's token; an empty list appends nothing. It may be called several times, so its side
    /// effects must be safe to repeat. An exception from it ends the call. The longer it takes, the more conflicts occur.
    /// </param>
    /// <param name="retry">The number of retries and the pauses before them. Null, the default: 9 retries.</param>
    /// <param name="cancellationToken">Cancels reads, pauses and the wait for other decisions; honoured by an append until the append starts.</param>
    /// <example><code>
    /// var result = await store.ExecuteDecisionAsync(
    ///     FreeSeats("c1"),
    /// async (free, cancellation) => free > 0 ? [new NewEvent(new StudentSubscribed("c1", await registry.NumberOfAsync("s9",
    /// cancellation)))] : []);
    /// </code></example>
    public static async Task<DecisionResult<TState>> ExecuteDecisionAsync<TState>(
        this IEventStore store, DecisionProjection<TState> projection, Func<TState, CancellationToken, Task<IReadOnlyList<NewEvent>>> decide,
        DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(projection);
        ArgumentNullException.ThrowIfNull(decide);
        return await store.ExecuteDecisionAsync(projection, decide, store.AppendAsync, retry, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The same with another append than the store's.</summary>
    internal static async Task<DecisionResult<TState>> ExecuteDecisionAsync<TState>(
        this IEventStore store, DecisionProjection<TState> projection, Func<TState, CancellationToken, Task<IReadOnlyList<NewEvent>>> decide,
        Func<IReadOnlyList<NewEvent>, AppendCondition?, CancellationToken, Task<AppendResult>> append, DecisionRetry? retry,
        CancellationToken cancellationToken)
    {
        retry ??= DecisionRetry.Default;
        using var turn = new DecisionTurn(store, retry.TimeProvider);
        await turn.JoinAsync(projection, cancellationToken).ConfigureAwait(false);
        for (var retries = 0; ; retries++)
        {
            turn.Surround();
            var (state, condition) = await store.BuildDecisionModelAsync(projection, cancellationToken).ConfigureAwait(false);
            var events = await decide(state, cancellationToken).ConfigureAwait(false)
                ?? throw new InvalidOperationException("The decision was null; to append nothing, return an empty list: [].");
            if (events.Count == 0)
                return new DecisionResult<TState> { State = state, Appended = null };
            try
            {
                return new DecisionResult<TState>
                {
                    State = state,
                    Appended = await append(events, condition, cancellationToken).ConfigureAwait(false),
                };
            }
            catch (AppendConditionFailedException conflict) when (retries < retry.MaxRetryAttempts)
            {
                if (store is not IDecisionControl && !await turn.TakeAsync(conflict, cancellationToken).ConfigureAwait(false))
                    await retry.PauseAsync(retries, cancellationToken).ConfigureAwait(false);
            }
        }
    }
}
