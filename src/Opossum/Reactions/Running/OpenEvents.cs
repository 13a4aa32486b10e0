namespace Opossum.Reactions.Running;

/// <summary>The events that are given out and not done, in the order in which they were given out.</summary>
internal sealed class OpenEvents
{
    private readonly List<Handling> events = [];
    private int doneCount;
    private long lastOrder;
    private long lonelyOrder;

    /// <summary>How many are not done.</summary>
    public int Count => events.Count - doneCount;

    /// <summary>How many bytes of data they have.</summary>
    public long Bytes { get; private set; }

    /// <summary>The first that is not done; null: all are.</summary>
    public Handling? First => events.Find(static each => !each.IsDone);

    /// <summary>Whether the event at a position is given out and not done.</summary>
    public bool Contains(long position) => events.Exists(each => each.Event.Position == position && !each.IsDone);

    /// <summary>Gives the next neighbour its number.</summary>
    public long NextOrder() => ++lastOrder;

    /// <summary>The next event is no neighbour of the last one: events between them are done.</summary>
    public void LeaveGap() => lastOrder++;

    public void Add(IReadOnlyCollection<Handling> handlings)
    {
        events.AddRange(handlings);
        Bytes += handlings.Sum(static each => (long)each.Event.StoredJson.Length);
    }

    /// <summary>Adds events from before the last one; each is a neighbour of none.</summary>
    public void Insert(IReadOnlyCollection<Handling> handlings)
    {
        Add(handlings);
        events.Sort(static (one, other) => one.Event.Position.CompareTo(other.Event.Position));
    }

    /// <summary>A number that is next to no other.</summary>
    public long LonelyOrder() => lonelyOrder -= 2;

    public void Finish(Handling handling)
    {
        handling.IsDone = true;
        doneCount++;
        Bytes -= handling.Event.StoredJson.Length;
    }

    /// <summary>From which to which event they are not done, ascending; both inclusive.</summary>
    public List<(long From, long To)> Ranges()
    {
        RemoveDone();
        var ranges = new List<(long From, long To)>();
        var last = 0L;
        foreach (var each in events)
        {
            if (ranges.Count > 0 && each.Order == last + 1)
                ranges[^1] = (ranges[^1].From, each.Event.Position);
            else
                ranges.Add((each.Event.Position, each.Event.Position));
            last = each.Order;
        }
        return ranges;
    }

    /// <summary>Those whose attempts are counted: how many may have begun, and how many are charged.</summary>
    public List<(long Position, int Begun, int Charged)> Attempts()
    {
        var attempts = new List<(long Position, int Begun, int Charged)>();
        foreach (var each in events)
        {
            if (each is { IsDone: false, Attempts: { } counted })
                attempts.Add((each.Event.Position, counted.Begun, counted.Charged));
        }
        return attempts;
    }

    /// <summary>Notes that the handlers have returned, and no other begins.</summary>
    public void End() => events.ForEach(static each => each.End());

    private void RemoveDone()
    {
        if (doneCount == 0)
            return;
        events.RemoveAll(static each => each.IsDone);
        doneCount = 0;
    }
}
