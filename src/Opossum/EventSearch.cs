namespace Opossum;

/// <summary>
/// Finds an event by its id in a store of which only its interface is known. No index has ids: an id of version 7 states when it was made, and its
/// event was stored soon after that, as the times of the events say.
/// </summary>
internal sealed class EventSearch(IEventStore store, Guid id, CancellationToken cancellationToken)
{
    // So many events are read one after another sooner than looked up.
    private const int Few = 16;

    // The clocks of several machines may differ, and an event may be stored some time after its id was made.
    private const int Near = 1_000;

    private const long TimeMax = 253_402_300_799_999;

    private readonly DateTimeOffset madeAt = EventIds.TimeOf(id) is { } made and <= TimeMax ? DateTimeOffset.FromUnixTimeMilliseconds(made)
        : DateTimeOffset.MinValue;

    public async Task<SequencedEvent?> RunAsync()
    {
        var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        if (madeAt > DateTimeOffset.MinValue)
        {
            var place = await FindPlaceAsync(head).ConfigureAwait(false);
            if (await ScanAsync(place, place + 2 * Few).ConfigureAwait(false) is { } there)
                return there;
            if (await ScanAsync(Math.Max(0, place - Near), place + Near).ConfigureAwait(false) is { } near)
                return near;
        }
        return await ScanAsync(0, head, backwards: true).ConfigureAwait(false);
    }

    // A position after which the event is, if events were stored in the order in which their ids were made.
    private async ValueTask<long> FindPlaceAsync(long head)
    {
        var (before, beforeTime) = (0L, DateTimeOffset.MinValue);
        var (after, afterTime) = (head + 1, DateTimeOffset.MaxValue);
        for (var halves = true; after - before > Few; halves = !halves)
        {
            // In turns: a guess by the times is near at an even rate, and a half is never far off.
            var knowsBoth = beforeTime > DateTimeOffset.MinValue && afterTime < DateTimeOffset.MaxValue;
            var share = knowsBoth && !halves ? (double)(madeAt - beforeTime).Ticks / (afterTime - beforeTime).Ticks : 0.5;
            var position = Math.Clamp(before + (long)((after - before) * share), before + 1, after - 1);
            if (await TimeOfAsync(position).ConfigureAwait(false) is not { } time)
                return before;
            if (time < madeAt)
                (before, beforeTime) = (position, time);
            else
                (after, afterTime) = (position, time);
        }
        return before;
    }

    private async ValueTask<DateTimeOffset?> TimeOfAsync(long position)
    {
        var options = new ReadOptions { After = position - 1, Limit = 1 };
        await foreach (var e in store.ReadAsync(Query.All, options, cancellationToken).ConfigureAwait(false))
            return e.Timestamp;
        return null;
    }

    private async ValueTask<SequencedEvent?> ScanAsync(long after, long upTo, bool backwards = false)
    {
        var options = new ReadOptions { After = after, UpTo = upTo, Backwards = backwards };
        await foreach (var e in store.ReadAsync(Query.All, options, cancellationToken).ConfigureAwait(false))
        {
            if (e.Id == id)
                return e;
        }
        return null;
    }
}
