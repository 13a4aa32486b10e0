namespace Opossum;

/// <summary>Append only if no event that matches a query exists after a position: the guard of the DCB specification.</summary>
/// <param name="FailIfEventsMatch">The events that must not be there. <see cref="Query.All"/> means any event.</param>
/// <param name="After">
/// Only events behind this position count: the head that was read when the decision was made. Null, the default: any matching
/// event makes the append fail. 0 means the same. It may lie beyond the head; then no present event counts.
/// </param>
/// <remarks>See https://dcb.events/specification and docs/append-conditions.md.</remarks>
public sealed record AppendCondition(Query FailIfEventsMatch, long? After = null)
{
    /// <summary>The events that must not be there.</summary>
    /// <exception cref="ArgumentNullException">The query is null.</exception>
    public Query FailIfEventsMatch
    {
        get;
        init => field = value ?? throw new ArgumentNullException(nameof(FailIfEventsMatch));
    } = FailIfEventsMatch ?? throw new ArgumentNullException(nameof(FailIfEventsMatch));

    /// <summary>Only events behind this position count; null counts all.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative.</exception>
    public long? After { get; init => field = Check(value); } = Check(After);

    private static long? Check(long? after)
    {
        if (after is { } position)
            ArgumentOutOfRangeException.ThrowIfNegative(position, nameof(After));
        return after;
    }
}
