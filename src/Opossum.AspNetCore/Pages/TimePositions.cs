namespace Opossum.AspNetCore.Pages;

/// <summary>Finds the positions of a time by halving the range of positions: about 20 events are read of a million.</summary>
internal static class TimePositions
{
    private const int Samples = 64;

    // The clocks of several machines differ by less.
    private static readonly TimeSpan tolerance = TimeSpan.FromHours(1);

    /// <summary>
    /// The position of the first event from a time on; the head plus one when there is none. Where the clocks of several machines differ, positions
    /// are not quite in the order of their times, and the result is as exact as the clocks.
    /// </summary>
    public static Task<long> FirstFromAsync(IEventStore store, DateTimeOffset time, long head, CancellationToken cancellationToken) =>
        FirstAsync(store, found => found >= time, head, cancellationToken);

    /// <summary>The position of the first event after a time; the head plus one when there is none.</summary>
    public static Task<long> FirstAfterAsync(IEventStore store, DateTimeOffset time, long head, CancellationToken cancellationToken) =>
        FirstAsync(store, found => found > time, head, cancellationToken);

    /// <summary>
    /// Whether some events are far out of the order of their times, as after an import of older events: judged by samples, and by the last events.
    /// Then halving finds nothing reliable.
    /// </summary>
    public static async Task<bool> AreOutOfOrderAsync(IEventStore store, long head, CancellationToken cancellationToken)
    {
        var latest = DateTimeOffset.MinValue;
        var positions = Enumerable.Range(0, Samples).Select(sample => 1 + ((head - 1) * sample / Samples))
            .Concat(Enumerable.Range(0, Samples).Select(back => head - Samples + 1 + back)).Where(static position => position > 0);
        foreach (var position in positions.Distinct().Order())
        {
            var time = await TimeOfAsync(store, position, cancellationToken).ConfigureAwait(false);
            if (latest - time > tolerance)
                return true;
            latest = time > latest ? time : latest;
        }
        return false;
    }

    private static async Task<long> FirstAsync(IEventStore store, Func<DateTimeOffset, bool> isReached, long head,
        CancellationToken cancellationToken)
    {
        var (low, high) = (1L, head + 1);
        while (low < high)
        {
            var middle = low + ((high - low) / 2);
            if (isReached(await TimeOfAsync(store, middle, cancellationToken).ConfigureAwait(false)))
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    private static async Task<DateTimeOffset> TimeOfAsync(IEventStore store, long position, CancellationToken cancellationToken) =>
        (await EventPageReader.FindAsync(store, position, cancellationToken).ConfigureAwait(false)
            ?? throw new InvalidOperationException($"The store has no event at position {position}, which is not after its head.")).Timestamp;
}
