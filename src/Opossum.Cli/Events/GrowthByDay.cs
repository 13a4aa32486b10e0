namespace Opossum.Cli.Events;

/// <summary>How a store grew, day by day.</summary>
/// <param name="First">The time of the first event; null when there is none.</param>
/// <param name="Last">The time of the last event; null when there is none.</param>
/// <param name="Days">The last days with events, the latest first.</param>
/// <param name="Earlier">The number of events before these days.</param>
internal sealed record GrowthByDay(DateTimeOffset? First, DateTimeOffset? Last, IReadOnlyList<DayCount> Days, long Earlier)
{
    /// <summary>
    /// Finds the days by bisection, in a few reads a day. Where machines' clocks differ, or a clock was set back, an event may be counted on
    /// a neighbouring day.
    /// </summary>
    /// <param name="store">The store.</param>
    /// <param name="head">The last position.</param>
    /// <param name="daysMax">How many days to find.</param>
    /// <param name="cancellationToken">Cancels the reading.</param>
    public static GrowthByDay Find(IEventStore store, long head, int daysMax, CancellationToken cancellationToken)
    {
        if (head == 0)
            return new GrowthByDay(null, null, [], 0);
        var days = new List<DayCount>();
        var last = TimeAt(store, head, cancellationToken);
        var (end, time) = (head, last);
        while (days.Count < daysMax)
        {
            var before = LastBefore(store, new DateTimeOffset(time.Date, TimeSpan.Zero), end, cancellationToken);
            days.Add(new DayCount(DateOnly.FromDateTime(time.Date), end - before));
            end = before;
            if (end == 0)
                break;
            time = TimeAt(store, end, cancellationToken);
        }
        var first = TimeAt(store, 1, cancellationToken);
        return new GrowthByDay(first, last, days, end);
    }

    // The last position before the given one with an earlier time; 0 when there is none. Steps back twice as far each time, then bisects.
    private static long LastBefore(IEventStore store, DateTimeOffset time, long position, CancellationToken cancellationToken)
    {
        var (high, low) = (position, position - 1);
        for (var step = 2L; low > 0 && TimeAt(store, low, cancellationToken) >= time; step *= 2)
            (high, low) = (low, low - step);
        low = Math.Max(low, 0);
        while (high - low > 1)
        {
            var middle = low + ((high - low) / 2);
            if (TimeAt(store, middle, cancellationToken) >= time)
                high = middle;
            else
                low = middle;
        }
        return low;
    }

    private static DateTimeOffset TimeAt(IEventStore store, long position, CancellationToken cancellationToken) =>
        EventFile.ReadEventAsync(store, position, cancellationToken).GetAwaiter().GetResult() is { } read
            ? read.Timestamp
            : throw new CliException(ExitCode.Failed, $"The store lost its event {position} while it was read. Run the command again.");
}
