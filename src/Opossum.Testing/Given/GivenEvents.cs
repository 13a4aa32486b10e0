namespace Opossum.Testing.Given;

/// <summary>The events that a test starts from, in groups with the time of each, in the order in which they were given.</summary>
internal sealed class GivenEvents(TestClock clock)
{
    private readonly List<(DateTimeOffset Time, NewEvent[] Events, bool IsOutside)> groups = [];

    public TestClock Clock => clock;

    public int Count => groups.Sum(static group => group.Events.Length);

    public void Add(IEnumerable<object> events, bool isOutside = false)
    {
        ArgumentNullException.ThrowIfNull(events);
        var list = events.Select(ToNewEvent).ToArray();
        if (list.Length > 0)
            groups.Add((clock.GetUtcNow(), list, isOutside));
    }

    /// <summary>The same without one event, by its index.</summary>
    public GivenEvents Without(int index)
    {
        var fewer = new GivenEvents(clock);
        var at = 0;
        foreach (var (time, events, isOutside) in groups)
        {
            var kept = events.Where(_ => at++ != index).ToArray();
            if (kept.Length > 0)
                fewer.groups.Add((time, kept, isOutside));
        }
        return fewer;
    }

    /// <summary>Appends the events.</summary>
    /// <returns>The positions of those that the code under test must not read.</returns>
    public async Task<IReadOnlySet<long>> AppendAsync(IEventStore store, StoreClock storeClock, CancellationToken cancellationToken)
    {
        var outside = new HashSet<long>();
        foreach (var (time, events, isOutside) in groups)
        {
            storeClock.Given = time;
            var appended = await store.AppendAsync(events, null, cancellationToken).ConfigureAwait(false);
            for (var position = appended.FirstPosition; isOutside && position <= appended.LastPosition; position++)
                outside.Add(position);
        }
        storeClock.Given = null;
        return outside;
    }

    public static NewEvent ToNewEvent(object e)
    {
        var given = e as NewEvent ?? new NewEvent(e ?? throw new ArgumentNullException(nameof(e), "One of the events is null."));
        // Only the store appends it, so an app cannot.
        return given.Data is PersonForgotten ? given with { IsOfStore = true } : given;
    }
}
