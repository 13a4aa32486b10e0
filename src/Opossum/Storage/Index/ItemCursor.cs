namespace Opossum.Storage.Index;

/// <summary>The positions that match one item of a query: all of the tags, and any of the types.</summary>
/// <param name="tags">The positions of each tag; may be empty.</param>
/// <param name="types">The positions of each type, when there are no tags; else empty.</param>
/// <param name="typeNumbers">The types wanted, when there are tags; empty: any.</param>
/// <param name="part">The part of the index that has the positions, for the type of each event.</param>
internal sealed class ItemCursor(Postings[] tags, Postings[] types, int[] typeNumbers, IIndexPart part)
{
    private const int Unknown = -1;

    private int known = Unknown;

    /// <summary>The nearest match at or after the target, in the direction. Targets follow each other in it.</summary>
    public int Seek(int target, bool backwards)
    {
        if (known != Unknown && (known == PositionCursor.None || (backwards ? known <= target : known >= target)))
            return known;
        return known = tags.Length > 0 ? SeekTags(target, backwards) : SeekTypes(target, backwards);
    }

    private int SeekTags(int target, bool backwards)
    {
        while (true)
        {
            var agreed = 0;
            for (var at = 0; agreed < tags.Length; at = at + 1 == tags.Length ? 0 : at + 1)
            {
                var found = tags[at].Seek(target, backwards);
                if (found == PositionCursor.None)
                    return PositionCursor.None;
                agreed = found == target ? agreed + 1 : 1;
                target = found;
            }
            if (IsWantedType(target))
                return target;
            target += backwards ? -1 : 1;
        }
    }

    private int SeekTypes(int target, bool backwards)
    {
        var nearest = PositionCursor.None;
        foreach (var type in types)
            nearest = PositionCursor.Nearer(nearest, type.Seek(target, backwards), backwards);
        return nearest;
    }

    private bool IsWantedType(int position) => typeNumbers.Length == 0 || typeNumbers.AsSpan().Contains(part.TypeAt(position));
}
