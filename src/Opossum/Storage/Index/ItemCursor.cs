namespace Opossum.Storage.Index;

/// <summary>The positions that match one item of a query: all of the tags, and any of the types.</summary>
/// <param name="tags">The positions of each tag; may be empty.</param>
/// <param name="types">The positions of each type, when there are no tags; else empty.</param>
/// <param name="typeNumbers">The types wanted, when there are tags; empty: any.</param>
/// <param name="part">The part of the index that has the positions, for the type of each event.</param>
internal sealed class ItemCursor(Postings[] tags, Postings[] types, int[] typeNumbers, IIndexPart part)
{
    private int known = Unknown;

    private const int Unknown = -1;

    /// <summary>The lowest match at or above the target. Targets must not fall.</summary>
    public int SeekForward(int target)
    {
        if (known == PositionCursor.None || known >= target)
            return known;
        return known = tags.Length > 0 ? TagsForward(target) : TypesForward(target);
    }

    /// <summary>The highest match at or below the target. Targets must not rise.</summary>
    public int SeekBackward(int target)
    {
        if (known != Unknown && known <= target)
            return known;
        return known = tags.Length > 0 ? TagsBackward(target) : TypesBackward(target);
    }

    private int TagsForward(int target)
    {
        for (var agreed = 0; ;)
        {
            for (var at = 0; agreed < tags.Length; at = at + 1 == tags.Length ? 0 : at + 1)
            {
                var found = tags[at].SeekForward(target);
                if (found == PositionCursor.None)
                    return PositionCursor.None;
                agreed = found == target ? agreed + 1 : 1;
                target = found;
            }
            if (IsWantedType(target))
                return target;
            target++;
            agreed = 0;
        }
    }

    private int TagsBackward(int target)
    {
        for (var agreed = 0; ;)
        {
            for (var at = 0; agreed < tags.Length; at = at + 1 == tags.Length ? 0 : at + 1)
            {
                var found = tags[at].SeekBackward(target);
                if (found == PositionCursor.None)
                    return PositionCursor.None;
                agreed = found == target ? agreed + 1 : 1;
                target = found;
            }
            if (IsWantedType(target))
                return target;
            target--;
            agreed = 0;
        }
    }

    private int TypesForward(int target)
    {
        var lowest = PositionCursor.None;
        for (var at = 0; at < types.Length; at++)
        {
            var found = types[at].SeekForward(target);
            if (found != PositionCursor.None && (lowest == PositionCursor.None || found < lowest))
                lowest = found;
        }
        return lowest;
    }

    private int TypesBackward(int target)
    {
        var highest = PositionCursor.None;
        for (var at = 0; at < types.Length; at++)
            highest = Math.Max(highest, types[at].SeekBackward(target));
        return highest;
    }

    private bool IsWantedType(int position) => typeNumbers.Length == 0 || typeNumbers.AsSpan().Contains(part.TypeAt(position));
}
