namespace Opossum.Storage.Ledger;

/// <summary>Events in the journal that have no durable event files yet.</summary>
/// <param name="Lines">Where they lie, in position order.</param>
/// <param name="FirstUse">The use of the first file: another one says that the journal was emptied.</param>
/// <param name="SecondUse">The use of the second file.</param>
internal sealed record JournalBacklog(IReadOnlyList<JournalLine> Lines, Guid FirstUse, Guid SecondUse)
{
    /// <summary>On a network file system: the position after which groups may have no files of their own, and the last one of the part.</summary>
    public (long After, long Last)? Groups { get; init; }

    /// <summary>The last position whose event has its file once the backlog is written.</summary>
    public long Written { get; set; } = Lines.Count == 0 ? 0 : Lines[^1].Position;

    public bool IsEmpty => Lines.Count == 0 && Groups is null;
}
