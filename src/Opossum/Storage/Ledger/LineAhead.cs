namespace Opossum.Storage.Ledger;

/// <summary>The line of an event that may have no event file yet.</summary>
/// <param name="Length">Its length without the line feed.</param>
internal readonly record struct LineAhead(long Position, string Path, long Offset, int Length);
