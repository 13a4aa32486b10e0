namespace Opossum.AspNetCore.Pages;

/// <summary>Reads one page of events. A page is a range of positions, so its cost does not depend on the number of events.</summary>
internal static class EventPageReader
{
    public const int RowsMax = 50;

    public static async Task<EventRows> ReadAsync(IEventStore store, EventFilter filter, CancellationToken cancellationToken)
    {
        var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        if (filter.Errors.Count > 0)
            return new EventRows(head, [], HasOlder: false, HasNewer: false);
        var first = filter.Since is { } since ? await TimePositions.FirstFromAsync(store, since, head, cancellationToken).ConfigureAwait(false) : 1;
        var last = filter.Until is { } until
            ? await TimePositions.FirstAfterAsync(store, until, head, cancellationToken).ConfigureAwait(false) - 1
            : head;

        return filter.After is { } after
            ? await ForwardsAsync(store, filter.Query, Math.Max(first, after + 1), last, first, head, cancellationToken).ConfigureAwait(false)
            : await BackwardsAsync(store, filter.Query, Math.Min(last, (filter.Before ?? head + 1) - 1), last, first, head, cancellationToken)
                .ConfigureAwait(false);
    }

    private static async Task<EventRows> ForwardsAsync(IEventStore store, Query query, long from, long last, long first, long head,
        CancellationToken cancellationToken)
    {
        var rows = from > last
            ? []
            : await RowsAsync(store, query, new ReadOptions { From = from, UpTo = last, Limit = RowsMax + 1 }, cancellationToken)
                .ConfigureAwait(false);
        var hasNewer = rows.Count > RowsMax;
        var shown = rows.Take(RowsMax).Reverse().ToList();
        return new EventRows(head, shown, HasOlder: from > first, hasNewer);
    }

    private static async Task<EventRows> BackwardsAsync(IEventStore store, Query query, long from, long last, long first, long head,
        CancellationToken cancellationToken)
    {
        var rows = from < first
            ? []
            : await RowsAsync(store, query, new ReadOptions { From = from, UpTo = first, Limit = RowsMax + 1, Backwards = true }, cancellationToken)
                .ConfigureAwait(false);
        return new EventRows(head, [.. rows.Take(RowsMax)], HasOlder: rows.Count > RowsMax, HasNewer: from < last);
    }

    /// <summary>Reads rows; of each event only what its row shows is kept.</summary>
    public static async Task<List<EventRow>> RowsAsync(IEventStore store, Query query, ReadOptions options, CancellationToken cancellationToken)
    {
        var rows = new List<EventRow>();
        await foreach (var e in store.ReadAsync(query, options, cancellationToken).ConfigureAwait(false))
            rows.Add(EventRow.Of(e));
        return rows;
    }
}
