namespace Opossum.Storage.Index;

/// <summary>The positions that match a query, one after the other, in either direction, found on demand.</summary>
internal sealed class PositionCursor
{
    /// <summary>No position, in either direction.</summary>
    public const int None = 0;

    private readonly IIndexPart[] parts;
    private readonly SoughtItem[]? items;
    private readonly bool backwards;
    private readonly int head;
    private readonly List<ItemCursor> cursors = [];
    private int part = -1;
    private bool areOthersPrefetched;
    private int target;

    /// <summary>Every position.</summary>
    /// <param name="from">The first position sought, itself included.</param>
    /// <param name="backwards">From high positions to low ones.</param>
    public PositionCursor(int head, int from, bool backwards)
        : this([], null!, head, from, backwards)
    {
    }

    /// <summary>The positions that one of the items matches.</summary>
    /// <param name="from">The first position sought, itself included.</param>
    /// <param name="backwards">From high positions to low ones.</param>
    public PositionCursor(IIndexPart[] parts, SoughtItem[] items, int head, int from, bool backwards)
    {
        this.parts = parts;
        this.items = items;
        this.head = head;
        this.backwards = backwards;
        target = backwards ? Math.Min(from, head) : Math.Max(from, 1);
    }

    /// <summary>The next position that matches; <see cref="None"/> at the end.</summary>
    public int Next()
    {
        if (target < 1 || target > head)
            return None;
        var found = items is null ? target : Seek();
        target = found == None ? None : backwards ? found - 1 : found + 1;
        return found;
    }

    private int Seek()
    {
        if (part < 0)
            Enter(PartOf(target));
        while (true)
        {
            var found = Nearest();
            // A run may end after the last position that counts.
            if (found != None)
                return found <= head ? found : None;
            var next = backwards ? part - 1 : part + 1;
            if (next < 0 || next == parts.Length || parts[next].Basis >= head)
                return None;
            target = backwards ? parts[part].Basis : parts[next].Basis + 1;
            areOthersPrefetched = areOthersPrefetched || PrefetchOthers(next);
            Enter(next);
        }
    }

    private void Enter(int number)
    {
        part = number;
        cursors.Clear();
        foreach (var item in items!)
        {
            if (parts[number].CursorFor(item, head) is { } cursor)
                cursors.Add(cursor);
        }
    }

    // A caller that reads more than one part has is likely to read all. The next one is read at once. False: reads are not slow.
    private bool PrefetchOthers(int next)
    {
        foreach (var behind in backwards ? parts.AsSpan(0, next) : parts.AsSpan(next + 1))
        {
            foreach (var item in items!)
            {
                if (!behind.Prefetch(item))
                    return false;
            }
        }
        return true;
    }

    // The last part that begins before the position.
    private int PartOf(int position)
    {
        var (low, high) = (0, parts.Length - 1);
        while (low < high)
        {
            var middle = (low + high + 1) / 2;
            if (parts[middle].Basis < position)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }

    private int Nearest()
    {
        var nearest = None;
        foreach (var cursor in cursors)
            nearest = Nearer(nearest, cursor.Seek(target, backwards), backwards);
        return nearest;
    }

    /// <summary>The one of two positions that comes first in the direction; either may be none.</summary>
    public static int Nearer(int one, int other, bool backwards) =>
        backwards || one == None || other == None ? Math.Max(one, other) : Math.Min(one, other);
}
