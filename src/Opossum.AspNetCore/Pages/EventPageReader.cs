namespace Opossum.AspNetCore.Pages;

/// <summary>
/// Reads one page of events. A page is a range of positions, so its cost does not depend on the number of events, except where times are searched
/// that are not in order.
/// </summary>
internal static class EventPageReader
{
    public const int RowsMax = 50;

    /// <summary>Up to how many events each event is judged by its own time.</summary>
    public const long EventsJudgedMax = 100_000;

    /// <summary>Reads the event at a position; null: there is none.</summary>
    public static async Task<SequencedEvent?> FindAsync(IEventStore store, long position, CancellationToken cancellationToken)
    {
        if (position < 1)
            return null;
        var one = new ReadOptions { After = position - 1, UpTo = position };
        await foreach (var found in store.ReadAsync(Query.All, one, cancellationToken).ConfigureAwait(false))
            return found;
        return null;
    }

    public static async Task<EventRows> ReadAsync(IEventStore store, EventFilter filter, long judgedMax, CancellationToken cancellationToken)
    {
        var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        if (filter.Errors.Count > 0)
            return new EventRows(head, [], HasOlder: false, HasNewer: false);
        var (first, last, isTimed) = await FindRangeAsync(store, filter, head, judgedMax, cancellationToken).ConfigureAwait(false);
        var timed = isTimed ? filter : null;
        var isForwards = filter.After is not null;
        var start = Math.Max(first, filter.After + 1 ?? first);
        var end = isForwards ? last : Math.Min(last, (filter.Before ?? head + 1) - 1);
        var rows = start > end
            ? []
            : await RowsAsync(store, filter.Query, timed, new ReadOptions { After = start - 1, UpTo = end, Backwards = !isForwards },
                cancellationToken).ConfigureAwait(false);
        var hasMore = rows.Count > RowsMax;
        var shown = rows.Take(RowsMax);
        return new EventRows(head, [.. isForwards ? shown.Reverse() : shown], HasOlder: isForwards ? start > first : hasMore,
            HasNewer: isForwards ? hasMore : end < last)
        {
            IsHalved = !isTimed && (filter.Since ?? filter.Until) is not null,
        };
    }

    // Where times are out of order, as after an import, each event is judged by its own time; in a small store always.
    private static async Task<(long First, long Last, bool IsTimed)> FindRangeAsync(IEventStore store, EventFilter filter, long head,
        long judgedMax, CancellationToken cancellationToken)
    {
        if (filter.Since is null && filter.Until is null)
            return (1, head, false);
        if (head <= judgedMax || await TimePositions.AreOutOfOrderAsync(store, head, cancellationToken).ConfigureAwait(false))
            return (1, head, true);
        var first = filter.Since is { } since ? await TimePositions.FirstFromAsync(store, since, head, cancellationToken).ConfigureAwait(false) : 1;
        var last = filter.Until is { } until
            ? await TimePositions.FirstAfterAsync(store, until, head, cancellationToken).ConfigureAwait(false) - 1
            : head;
        return (first, last, false);
    }

    /// <summary>Reads rows; of each event only what its row shows is kept.</summary>
    public static Task<List<EventRow>> RowsAsync(IEventStore store, Query query, ReadOptions options, CancellationToken cancellationToken) =>
        RowsAsync(store, query, timed: null, options, cancellationToken);

    // One more than a page has: whether there is a next page.
    private static async Task<List<EventRow>> RowsAsync(IEventStore store, Query query, EventFilter? timed, ReadOptions options,
        CancellationToken cancellationToken)
    {
        var rows = new List<EventRow>();
        var limited = timed is null && options.Limit is null ? options with { Limit = RowsMax + 1 } : options;
        await foreach (var e in store.ReadAsync(query, limited, cancellationToken).ConfigureAwait(false))
        {
            if (timed is not null && (e.Timestamp < timed.Since || e.Timestamp > timed.Until))
                continue;
            rows.Add(EventRow.Of(e));
            if (timed is not null && rows.Count > RowsMax)
                break;
        }
        return rows;
    }
}
