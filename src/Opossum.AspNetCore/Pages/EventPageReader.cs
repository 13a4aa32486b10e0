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

    public static async Task<EventRows> ReadAsync(IEventStore store, EventFilter filter, long judgedMax, CancellationToken cancellationToken)
    {
        var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        if (filter.Errors.Count > 0)
            return new EventRows(head, [], HasOlder: false, HasNewer: false);
        var (first, last, isTimed) = await FindRangeAsync(store, filter, head, judgedMax, cancellationToken).ConfigureAwait(false);
        var timed = isTimed ? filter : null;
        var rows = filter.After is { } after
            ? await ForwardsAsync(store, filter.Query, timed, Math.Max(first, after + 1), last, first, head, cancellationToken).ConfigureAwait(false)
            : await BackwardsAsync(store, filter.Query, timed, Math.Min(last, (filter.Before ?? head + 1) - 1), last, first, head, cancellationToken)
                .ConfigureAwait(false);
        return rows with { IsHalved = !isTimed && (filter.Since ?? filter.Until) is not null };
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

    private static async Task<EventRows> ForwardsAsync(IEventStore store, Query query, EventFilter? timed, long from, long last, long first,
        long head, CancellationToken cancellationToken)
    {
        var rows = from > last
            ? []
            : await RowsAsync(store, query, timed, new ReadOptions { After = from - 1, UpTo = last }, cancellationToken)
                .ConfigureAwait(false);
        var hasNewer = rows.Count > RowsMax;
        var shown = rows.Take(RowsMax).Reverse().ToList();
        return new EventRows(head, shown, HasOlder: from > first, hasNewer);
    }

    private static async Task<EventRows> BackwardsAsync(IEventStore store, Query query, EventFilter? timed, long from, long last, long first,
        long head, CancellationToken cancellationToken)
    {
        var rows = from < first
            ? []
            : await RowsAsync(store, query, timed, new ReadOptions { After = first - 1, UpTo = from, Backwards = true }, cancellationToken)
                .ConfigureAwait(false);
        return new EventRows(head, [.. rows.Take(RowsMax)], HasOlder: rows.Count > RowsMax, HasNewer: from < last);
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
