namespace Opossum.Cli.Events;

/// <summary>Finds how many events the last days have, in a few reads a day, where the events are in the order of their times.</summary>
internal sealed class DaysByBisection(IEventStore store, long head)
{
    private const int Samples = 256;

    private readonly SortedDictionary<long, DateTimeOffset> seen = [];

    /// <summary>Finds the days; null when a time that was read is not in order.</summary>
    public GrowthByDay? Find(int daysMax, CancellationToken cancellationToken)
    {
        for (var sample = 0L; sample <= Samples; sample++)
            TimeAt(Math.Max(1, head * sample / Samples), cancellationToken);
        var days = new List<DayCount>();
        var end = head;
        while (days.Count < daysMax && end > 0 && AreInOrder())
        {
            var day = TimeAt(end, cancellationToken).UtcDateTime.Date;
            var before = LastBefore(new DateTimeOffset(day, TimeSpan.Zero), end, cancellationToken);
            days.Add(new DayCount(DateOnly.FromDateTime(day), end - before));
            end = before;
        }
        return AreInOrder() ? new GrowthByDay(seen[1], seen[head], days, end) { IsSampled = true } : null;
    }

    // The last position before the given one with an earlier time; 0 when there is none. Steps back twice as far each time, then bisects.
    private long LastBefore(DateTimeOffset time, long position, CancellationToken cancellationToken)
    {
        var (high, low) = (position, position - 1);
        for (var step = 2L; low > 0 && TimeAt(low, cancellationToken) >= time; step *= 2)
            (high, low) = (low, low - step);
        low = Math.Max(low, 0);
        while (high - low > 1)
        {
            var middle = low + ((high - low) / 2);
            if (TimeAt(middle, cancellationToken) >= time)
                high = middle;
            else
                low = middle;
        }
        return low;
    }

    // The clocks of several machines may differ a little: what counts is the day.
    private bool AreInOrder()
    {
        var day = DateTime.MinValue;
        foreach (var time in seen.Values)
        {
            if (time.UtcDateTime.Date < day)
                return false;
            day = time.UtcDateTime.Date;
        }
        return true;
    }

    private DateTimeOffset TimeAt(long position, CancellationToken cancellationToken)
    {
        if (seen.TryGetValue(position, out var known))
            return known;
        return seen[position] = EventFile.ReadEventAsync(store, position, cancellationToken).GetAwaiter().GetResult() is { } read
            ? read.Timestamp
            : throw new CliException(ExitCode.Failed, $"The store lost its event {position} while it was read. Run the command again.");
    }
}
