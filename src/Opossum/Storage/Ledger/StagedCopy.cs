namespace Opossum.Storage.Ledger;

/// <summary>A durable copy of an event file that does not have its name yet.</summary>
/// <param name="After">The position up to which everything was durable when the event was appended.</param>
/// <param name="Length">Its length in bytes.</param>
internal readonly record struct StagedCopy(long Position, long After, string Path, int Length);
