using Opossum.Decisions;

namespace Opossum;

/// <summary>Decisions on current state, written safely: read what the decision rests on, decide, append unless it has changed.</summary>
public static class DecisionExtensions
{
    /// <summary>Reads the events that a projection counts, folds them into its state, and gives the condition that guards a decision made on it.</summary>
    /// <param name="store">The store.</param>
    /// <param name="projection">What has to be known.</param>
    /// <param name="cancellationToken">Ends the read.</param>
    public static async ValueTask<DecisionModel<TState>> BuildDecisionModelAsync<TState>(this IEventStore store, DecisionProjection<TState> projection, CancellationToken cancellationToken = default)
    {
        var fold = DecisionFold.Of(projection);
        var condition = await DecisionReader.ReadAsync(store, cancellationToken, fold).ConfigureAwait(false);
        return new DecisionModel<TState>(fold.State, condition);
    }

    /// <summary>As for one projection: two are read by one query, at one moment, and guarded by one condition.</summary>
    public static async ValueTask<DecisionModel<(T1, T2)>> BuildDecisionModelAsync<T1, T2>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, CancellationToken cancellationToken = default)
    {
        var folds = (DecisionFold.Of(first), DecisionFold.Of(second));
        var condition = await DecisionReader.ReadAsync(store, cancellationToken, folds.Item1, folds.Item2).ConfigureAwait(false);
        return new DecisionModel<(T1, T2)>((folds.Item1.State, folds.Item2.State), condition);
    }

    /// <summary>As for one projection: three are read by one query, at one moment, and guarded by one condition.</summary>
    public static async ValueTask<DecisionModel<(T1, T2, T3)>> BuildDecisionModelAsync<T1, T2, T3>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, CancellationToken cancellationToken = default)
    {
        var folds = (DecisionFold.Of(first), DecisionFold.Of(second), DecisionFold.Of(third));
        var condition = await DecisionReader.ReadAsync(store, cancellationToken, folds.Item1, folds.Item2, folds.Item3).ConfigureAwait(false);
        return new DecisionModel<(T1, T2, T3)>((folds.Item1.State, folds.Item2.State, folds.Item3.State), condition);
    }

    /// <summary>As for one projection: four are read by one query, at one moment, and guarded by one condition.</summary>
    public static async ValueTask<DecisionModel<(T1, T2, T3, T4)>> BuildDecisionModelAsync<T1, T2, T3, T4>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, DecisionProjection<T4> fourth, CancellationToken cancellationToken = default)
    {
        var folds = (DecisionFold.Of(first), DecisionFold.Of(second), DecisionFold.Of(third), DecisionFold.Of(fourth));
        var condition = await DecisionReader.ReadAsync(store, cancellationToken, folds.Item1, folds.Item2, folds.Item3, folds.Item4).ConfigureAwait(false);
        return new DecisionModel<(T1, T2, T3, T4)>((folds.Item1.State, folds.Item2.State, folds.Item3.State, folds.Item4.State), condition);
    }

    /// <summary>As for one projection: five are read by one query, at one moment, and guarded by one condition.</summary>
    public static async ValueTask<DecisionModel<(T1, T2, T3, T4, T5)>> BuildDecisionModelAsync<T1, T2, T3, T4, T5>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, DecisionProjection<T4> fourth, DecisionProjection<T5> fifth, CancellationToken cancellationToken = default)
    {
        var folds = (DecisionFold.Of(first), DecisionFold.Of(second), DecisionFold.Of(third), DecisionFold.Of(fourth), DecisionFold.Of(fifth));
        var condition = await DecisionReader.ReadAsync(store, cancellationToken, folds.Item1, folds.Item2, folds.Item3, folds.Item4, folds.Item5).ConfigureAwait(false);
        return new DecisionModel<(T1, T2, T3, T4, T5)>((folds.Item1.State, folds.Item2.State, folds.Item3.State, folds.Item4.State, folds.Item5.State), condition);
    }

    /// <summary>As for one projection: six are read by one query, at one moment, and guarded by one condition.</summary>
    public static async ValueTask<DecisionModel<(T1, T2, T3, T4, T5, T6)>> BuildDecisionModelAsync<T1, T2, T3, T4, T5, T6>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, DecisionProjection<T4> fourth, DecisionProjection<T5> fifth, DecisionProjection<T6> sixth, CancellationToken cancellationToken = default)
    {
        var folds = (DecisionFold.Of(first), DecisionFold.Of(second), DecisionFold.Of(third), DecisionFold.Of(fourth), DecisionFold.Of(fifth), DecisionFold.Of(sixth));
        var condition = await DecisionReader.ReadAsync(store, cancellationToken, folds.Item1, folds.Item2, folds.Item3, folds.Item4, folds.Item5, folds.Item6).ConfigureAwait(false);
        return new DecisionModel<(T1, T2, T3, T4, T5, T6)>((folds.Item1.State, folds.Item2.State, folds.Item3.State, folds.Item4.State, folds.Item5.State, folds.Item6.State), condition);
    }

    /// <summary>
    /// Reads, decides and appends; when somebody else's event came first, does it again, with the state of then. The decision may be made
    /// several times, so it must have no effects of its own.
    /// </summary>
    /// <param name="store">The store.</param>
    /// <param name="buildModel">Reads what has to be known, such as <c>token => store.BuildDecisionModelAsync(Subscriptions("c1"), token)</c>.</param>
    /// <param name="decide">Gives the events to append; none: nothing is appended. What it throws, ends the decision and reaches the caller.</param>
    /// <param name="retry">How often and how fast it is tried again; null, the default: <see cref="DecisionRetry.Default"/>.</param>
    /// <param name="cancellationToken">Ends reads and pauses, and an append until its turn has come.</param>
    /// <returns>Where the events went; null when the decision was to append none.</returns>
    /// <exception cref="AppendConditionFailedException">The last try's conflict: each one met another event that came first.</exception>
    public static async ValueTask<AppendResult?> ExecuteDecisionAsync<TState>(
        this IEventStore store, Func<CancellationToken, ValueTask<DecisionModel<TState>>> buildModel, Func<TState, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(buildModel);
        ArgumentNullException.ThrowIfNull(decide);
        retry ??= DecisionRetry.Default;
        for (var tries = 1; ; tries++)
        {
            var model = await buildModel(cancellationToken).ConfigureAwait(false);
            var events = decide(model.State);
            if (events.Count == 0)
                return null;
            try
            {
                return await store.AppendAsync(events, model.AppendCondition, cancellationToken).ConfigureAwait(false);
            }
            catch (AppendConditionFailedException) when (tries < retry.TriesMax)
            {
                await Task.Delay(retry.PauseAfter(tries), retry.TimeProvider, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>As with a model: for a decision that rests on one projection.</summary>
    /// <inheritdoc cref="ExecuteDecisionAsync{TState}(IEventStore, Func{CancellationToken, ValueTask{DecisionModel{TState}}}, Func{TState, IReadOnlyList{NewEvent}}, DecisionRetry?, CancellationToken)"/>
    public static ValueTask<AppendResult?> ExecuteDecisionAsync<TState>(
        this IEventStore store, DecisionProjection<TState> projection, Func<TState, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default) =>
        store.ExecuteDecisionAsync(token => store.BuildDecisionModelAsync(projection, token), decide, retry, cancellationToken);

    /// <summary>As with a model: for a decision that rests on two projections.</summary>
    public static ValueTask<AppendResult?> ExecuteDecisionAsync<T1, T2>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, Func<T1, T2, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decide);
        return store.ExecuteDecisionAsync(token => store.BuildDecisionModelAsync(first, second, token), states => decide(states.Item1, states.Item2), retry, cancellationToken);
    }

    /// <summary>As with a model: for a decision that rests on three projections.</summary>
    public static ValueTask<AppendResult?> ExecuteDecisionAsync<T1, T2, T3>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, Func<T1, T2, T3, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decide);
        return store.ExecuteDecisionAsync(token => store.BuildDecisionModelAsync(first, second, third, token), states => decide(states.Item1, states.Item2, states.Item3), retry, cancellationToken);
    }

    /// <summary>As with a model: for a decision that rests on four projections.</summary>
    public static ValueTask<AppendResult?> ExecuteDecisionAsync<T1, T2, T3, T4>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, DecisionProjection<T4> fourth, Func<T1, T2, T3, T4, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decide);
        return store.ExecuteDecisionAsync(token => store.BuildDecisionModelAsync(first, second, third, fourth, token), states => decide(states.Item1, states.Item2, states.Item3, states.Item4), retry, cancellationToken);
    }

    /// <summary>As with a model: for a decision that rests on five projections.</summary>
    public static ValueTask<AppendResult?> ExecuteDecisionAsync<T1, T2, T3, T4, T5>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, DecisionProjection<T4> fourth, DecisionProjection<T5> fifth, Func<T1, T2, T3, T4, T5, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decide);
        return store.ExecuteDecisionAsync(token => store.BuildDecisionModelAsync(first, second, third, fourth, fifth, token), states => decide(states.Item1, states.Item2, states.Item3, states.Item4, states.Item5), retry, cancellationToken);
    }

    /// <summary>As with a model: for a decision that rests on six projections.</summary>
    public static ValueTask<AppendResult?> ExecuteDecisionAsync<T1, T2, T3, T4, T5, T6>(
        this IEventStore store, DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, DecisionProjection<T4> fourth, DecisionProjection<T5> fifth, DecisionProjection<T6> sixth, Func<T1, T2, T3, T4, T5, T6, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decide);
        return store.ExecuteDecisionAsync(token => store.BuildDecisionModelAsync(first, second, third, fourth, fifth, sixth, token), states => decide(states.Item1, states.Item2, states.Item3, states.Item4, states.Item5, states.Item6), retry, cancellationToken);
    }
}
