namespace Opossum.Decisions;

/// <summary>
/// The turn of one decision. It is taken after a first conflict, or when others take turns over the same events already, so that a decision
/// that nobody disturbs pays nothing for it. Disposing passes it on.
/// </summary>
/// <param name="store">The store that is decided through.</param>
/// <param name="clock">The clock of the wait.</param>
internal sealed class DecisionTurn(IEventStore store, TimeProvider clock) : IDisposable
{
    // A decision takes milliseconds. One that hangs must not hold up all others for good: they go on without a turn, which is allowed.
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(10);

    private static readonly AsyncLocal<DecisionTurn?> around = new();

    private readonly DecisionTurns turns = DecisionTurns.Of(store);
    private string? key;

    // Whoever has a turn waits for no other, so there is no circle of those who wait for each other.
    private bool MayWait => key is null && around.Value is not { key: not null };

    /// <summary>Waits for the turn if somebody has it over events that the projection handles.</summary>
    public async ValueTask JoinAsync<TState>(DecisionProjection<TState> projection, CancellationToken cancellationToken)
    {
        if (turns.Taken > 0 && MayWait && turns.FindTaken(projection.Query) is { } taken)
            await TakeAsync(taken, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Takes the turn over the events that a conflict was about.</summary>
    /// <returns>Whether that took a wait.</returns>
    public async ValueTask<bool> TakeAsync(AppendConditionFailedException conflict, CancellationToken cancellationToken) =>
        MayWait && await FindItemAsync(conflict, cancellationToken).ConfigureAwait(false) is { } item
        && await TakeAsync(DecisionTurns.KeyOf(item), cancellationToken).ConfigureAwait(false);

    /// <summary>Lets what is called from here on know that it is part of a decision that has its turn. To be called by the method that is to call it.</summary>
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
            // It is tried without.
        }
        finally
        {
            if (!turns.TryLeave(place))
                key = wanted;
        }
        return true;
    }

    // Queries of one kind often differ in an item, such as that of a student, and share the one that all come for, such as that of a course.
    private async ValueTask<QueryItem?> FindItemAsync(AppendConditionFailedException conflict, CancellationToken cancellationToken)
    {
        var query = conflict.Condition.FailIfEventsMatch;
        await foreach (var e in store.ReadAsync(query, new ReadOptions { From = conflict.ConflictingPosition, Limit = 1 }, cancellationToken).ConfigureAwait(false))
            return query.Items.FirstOrDefault(item => item.Matches(e.Type, e.Tags));
        return null;
    }
}
