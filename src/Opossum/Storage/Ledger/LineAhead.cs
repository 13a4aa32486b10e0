namespace Opossum.Storage.Ledger;

/// <summary>The line of an event that may have no event file yet.</summary>
/// <param name="Position">The event's position.</param>
/// <param name="Path">The path of the segment.</param>
/// <param name="Offset">Where the line begins.</param>
/// <param name="Length">Its length without the line feed.</param>
internal readonly record struct LineAhead(long Position, string Path, long Offset, int Length);
