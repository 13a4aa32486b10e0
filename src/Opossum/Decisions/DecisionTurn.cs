namespace Opossum.Decisions;

/// <summary>
/// The turn of one decision. A decision takes it after its first conflict, or when other decisions already take turns over the same events, so
/// that a decision without conflicts pays nothing. Disposing passes the turn on.
/// </summary>
internal sealed class DecisionTurn(IEventStore store, TimeProvider clock) : IDisposable
{
    // A decision takes milliseconds. A decision that hangs must not block all others forever: they continue without a turn, which is safe.
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(10);

    private static readonly AsyncLocal<DecisionTurn?> around = new();

    private readonly DecisionTurns turns = DecisionTurns.Of(store);
    private string? key;

    // A decision that has a turn waits for no other turn, so no deadlock is possible.
    private bool MayWait => key is null && around.Value is not { key: not null };

    /// <summary>Waits for the turn if another decision has it over events that the projection handles.</summary>
    public async ValueTask JoinAsync<TState>(DecisionProjection<TState> projection, CancellationToken cancellationToken)
    {
        if (turns.Taken > 0 && MayWait && turns.FindTaken(projection.Query) is { } taken)
            await TakeAsync(taken, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Takes the turn over the events that a conflict was about.</summary>
    /// <returns>Whether it had to wait.</returns>
    public async ValueTask<bool> TakeAsync(AppendConditionFailedException conflict, CancellationToken cancellationToken) =>
        MayWait && await FindItemAsync(conflict, cancellationToken).ConfigureAwait(false) is { } item
        && await TakeAsync(DecisionTurns.KeyOf(item), cancellationToken).ConfigureAwait(false);

    /// <summary>
    /// Marks the calls that follow as part of a decision that has its turn. The method that makes those calls must call this method.
    /// </summary>
    public void Surround()
    {
        if (key is not null)
            around.Value = this;
    }

    public void Dispose()
    {
        if (key is not { } taken)
            return;
        key = null;
        turns.PassOn(taken);
    }

    private async ValueTask<bool> TakeAsync(string wanted, CancellationToken cancellationToken)
    {
        var place = turns.Take(wanted);
        if (place is null)
        {
            key = wanted;
            return false;
        }
        try
        {
            await place.Value.Task.WaitAsync(patience, clock, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // The decision continues without a turn.
        }
        finally
        {
            if (!turns.TryLeave(place))
                key = wanted;
        }
        return true;
    }

    // Queries of one kind often differ in one item, such as a student's, and share the item that all contend for, such as a course's.
    private async ValueTask<QueryItem?> FindItemAsync(AppendConditionFailedException conflict, CancellationToken cancellationToken)
    {
        var query = conflict.Condition.FailIfEventsMatch;
        await foreach (var e in store.ReadAsync(query, new ReadOptions { After = conflict.ConflictingPosition - 1, Limit = 1 },
            cancellationToken).ConfigureAwait(false))
        {
            return query.Items.FirstOrDefault(item => item.Matches(e));
        }

        return null;
    }
}
