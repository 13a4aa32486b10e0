namespace Opossum.Storage.Ledger;

/// <summary>The result of reading the file of a position.</summary>
/// <param name="Stored">The event; null when there is no valid one.</param>
/// <param name="Problem">What is wrong with the file, as the end of a sentence that begins with its path; null when it is valid.</param>
/// <param name="IsOutOfReach">Whether the file's state is unknown: this user has no right to read it, another program holds it, or
/// the share is gone.</param>
internal readonly record struct EventFileReading(StoredEvent? Stored, string? Problem, bool IsOutOfReach = false);
