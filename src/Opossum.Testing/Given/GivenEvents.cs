namespace Opossum.Testing.Given;

/// <summary>The events that a test starts from, in groups with the time of each.</summary>
internal sealed class GivenEvents(TestClock clock)
{
    private readonly List<(DateTimeOffset Time, NewEvent[] Events)> groups = [];

    public TestClock Clock => clock;

    public int Count => groups.Sum(static group => group.Events.Length);

    public void Add(IEnumerable<object> events)
    {
        ArgumentNullException.ThrowIfNull(events);
        var list = events.Select(ToNewEvent).ToArray();
        if (list.Length > 0)
            groups.Add((clock.GetUtcNow(), list));
    }

    /// <summary>The same without one event, by its index.</summary>
    public GivenEvents Without(int index)
    {
        var fewer = new GivenEvents(clock);
        var at = 0;
        foreach (var (time, events) in groups)
        {
            var kept = events.Where(_ => at++ != index).ToArray();
            if (kept.Length > 0)
                fewer.groups.Add((time, kept));
        }
        return fewer;
    }

    public async Task AppendAsync(IEventStore store, StoreClock storeClock, CancellationToken cancellationToken)
    {
        foreach (var (time, events) in groups)
        {
            storeClock.Given = time;
            await store.AppendAsync(events, null, cancellationToken).ConfigureAwait(false);
        }
        storeClock.Given = null;
    }

    public static NewEvent ToNewEvent(object e) =>
        e as NewEvent ?? new NewEvent(e ?? throw new ArgumentNullException(nameof(e), "One of the events is null."));
}
