namespace Opossum;

/// <summary>
/// The guard of an append: the append fails if an event that matches a query exists after a position. This is the append condition of the DCB
/// specification.
/// </summary>
/// <param name="FailIfEventsMatch">The query that no event may match. <see cref="Query.All"/> matches any event.</param>
/// <param name="After">
/// The position after which events are checked: the head that the decision was based on. Null, the default, and 0 check all events.
/// A position beyond the head is allowed; then no event that exists now is checked.
/// </param>
/// <remarks>See https://dcb.events/specification and docs/append-conditions.md.</remarks>
public sealed record AppendCondition(Query FailIfEventsMatch, long? After = null)
{
    /// <summary>The query that no event after <see cref="After"/> may match.</summary>
    /// <exception cref="ArgumentNullException">The query is null.</exception>
    public Query FailIfEventsMatch
    {
        get;
        init => field = value ?? throw new ArgumentNullException(nameof(FailIfEventsMatch));
    } = FailIfEventsMatch ?? throw new ArgumentNullException(nameof(FailIfEventsMatch));

    /// <summary>The position after which events are checked; null checks all events.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative.</exception>
    public long? After { get; init => field = Check(value); } = Check(After);

    /// <summary>Whether a decision model was built with it, so that the query selects what a decision depends on.</summary>
    internal bool IsOfDecision { get; init; }

    private static long? Check(long? after)
    {
        if (after is { } position)
            ArgumentOutOfRangeException.ThrowIfNegative(position, nameof(After));
        return after;
    }
}
