namespace Opossum.Storage.Ledger;

/// <summary>Events in the journal that have no durable event files yet.</summary>
/// <param name="Lines">Where they lie, in position order.</param>
/// <param name="FirstUse">The use of the first file: another one says that the journal was emptied.</param>
/// <param name="SecondUse">The use of the second file.</param>
internal sealed record JournalBacklog(IReadOnlyList<JournalLine> Lines, Guid FirstUse, Guid SecondUse);
