namespace Opossum.Storage.Ledger;

/// <summary>What the closing line of a group in the journal states.</summary>
/// <param name="First">The position of the group's first event.</param>
/// <param name="Last">The position of its last event.</param>
/// <param name="Bytes">The bytes of its events' lines.</param>
/// <param name="Use">The use of the file.</param>
/// <param name="Previous">The checksum of the closing line before it, or of the header.</param>
internal readonly record struct JournalClosing(long First, long Last, int Bytes, Guid Use, uint Previous);
