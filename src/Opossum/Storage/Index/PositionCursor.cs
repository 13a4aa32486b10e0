namespace Opossum.Storage.Index;

/// <summary>The positions that match a query, one after the other, in either direction, found on demand.</summary>
internal sealed class PositionCursor
{
    /// <summary>No position, in either direction.</summary>
    public const int None = 0;

    private readonly ItemCursor[]? items;
    private readonly bool backwards;
    private readonly int head;
    private int target;

    /// <param name="items">A cursor for each item that can match at all; null: every position matches.</param>
    /// <param name="head">The last position that counts.</param>
    /// <param name="from">The first position sought, itself included.</param>
    /// <param name="backwards">From high positions to low ones.</param>
    public PositionCursor(ItemCursor[]? items, int head, int from, bool backwards)
    {
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
        var found = items is null ? target : backwards ? NextBackward(items) : NextForward(items);
        target = found == None ? None : backwards ? found - 1 : found + 1;
        return found;
    }

    private int NextForward(ItemCursor[] cursors)
    {
        var lowest = None;
        foreach (var cursor in cursors)
        {
            var found = cursor.SeekForward(target);
            if (found != None && (lowest == None || found < lowest))
                lowest = found;
        }
        return lowest;
    }

    private int NextBackward(ItemCursor[] cursors)
    {
        var highest = None;
        foreach (var cursor in cursors)
            highest = Math.Max(highest, cursor.SeekBackward(target));
        return highest;
    }
}
