namespace Opossum.Storage.Index;

/// <summary>The index of consecutive positions: a run, which does not change, or the tail, which grows.</summary>
internal interface IIndexPart
{
    /// <summary>The position before the first one of the part.</summary>
    int Basis { get; }

    /// <summary>The part's number of the type of an event.</summary>
    int TypeAt(int position);

    /// <summary>A cursor over the positions up to the head that an item of a query matches; null: none matches.</summary>
    ItemCursor? CursorFor(SoughtItem item, int head);

    /// <summary>Prefetches what a cursor over the item's positions will need. False: reads are not slow, and nothing was prefetched.</summary>
    bool Prefetch(SoughtItem item);
}
