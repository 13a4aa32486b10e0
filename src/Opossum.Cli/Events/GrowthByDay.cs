namespace Opossum.Cli.Events;

/// <summary>How a store grew, day by day.</summary>
/// <param name="First">The earliest time of an event; null when there is none.</param>
/// <param name="Last">The latest time of an event; null when there is none.</param>
/// <param name="Days">The last days with events, the latest first.</param>
/// <param name="Earlier">The number of events before these days.</param>
internal sealed record GrowthByDay(DateTimeOffset? First, DateTimeOffset? Last, IReadOnlyList<DayCount> Days, long Earlier)
{
    private const long EventsCountedMax = 100_000;

    /// <summary>Whether the times of some events were compared with those of their neighbours only as samples: a few may be counted wrong.</summary>
    public bool IsSampled { get; init; }

    /// <summary>
    /// Counts the events of the days. Of a large store, or one on a share, the days are found by bisection, in a few reads a day, as long as every
    /// time that is read is in order; times are not in order after an import of older events, and all events are read then.
    /// </summary>
    /// <param name="countedMax">Up to how many events every event is read.</param>
    public static GrowthByDay Find(IEventStore store, StoreStatus status, int daysMax, CancellationToken cancellationToken,
        long countedMax = EventsCountedMax)
    {
        if (status.Head == 0)
            return new GrowthByDay(null, null, [], 0);
        var bisected = status.Head > countedMax || status.IsNetwork
            ? new DaysByBisection(store, status.Head).Find(daysMax, cancellationToken)
            : null;
        return bisected ?? Count(store, status.Head, daysMax, cancellationToken);
    }

    private static GrowthByDay Count(IEventStore store, long head, int daysMax, CancellationToken cancellationToken)
    {
        var counts = new SortedDictionary<DateOnly, long>();
        var (first, last) = (DateTimeOffset.MaxValue, DateTimeOffset.MinValue);
        foreach (var e in store.ReadAsync(Query.All, new ReadOptions { UpTo = head }, cancellationToken).ToBlockingEnumerable(cancellationToken))
        {
            (first, last) = (e.Timestamp < first ? e.Timestamp : first, e.Timestamp > last ? e.Timestamp : last);
            var day = DateOnly.FromDateTime(e.Timestamp.UtcDateTime);
            counts[day] = counts.GetValueOrDefault(day) + 1;
        }
        var days = counts.Reverse().Take(daysMax).Select(static each => new DayCount(each.Key, each.Value)).ToList();
        return new GrowthByDay(first, last, days, head - days.Sum(static each => each.Events));
    }
}
