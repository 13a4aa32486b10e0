namespace Opossum.Storage.Ledger;

/// <summary>Events in the journal that have no durable event files yet.</summary>
/// <param name="Lines">Where they lie, in position order.</param>
/// <param name="Uses">The use of each file that has some of them: another one says that they were drained and the file emptied.</param>
internal sealed record JournalBacklog(IReadOnlyList<JournalLine> Lines, IReadOnlyList<(int File, Guid Use)> Uses)
{
    /// <summary>The last position whose event has its file once the backlog is written.</summary>
    public long Written => Lines.Count == 0 ? 0 : Lines[^1].Position;

    public bool IsEmpty => Lines.Count == 0;
}
