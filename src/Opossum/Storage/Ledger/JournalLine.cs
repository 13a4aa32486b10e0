namespace Opossum.Storage.Ledger;

/// <summary>Where the canonical text of an event lies in the journal.</summary>
/// <param name="Position">The event's position.</param>
/// <param name="File">The number of the journal file.</param>
/// <param name="Offset">Where the text begins in it.</param>
/// <param name="Length">The text's length in bytes, without the line feed.</param>
internal readonly record struct JournalLine(long Position, int File, long Offset, int Length);
