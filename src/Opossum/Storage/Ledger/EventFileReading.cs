namespace Opossum.Storage.Ledger;

/// <summary>What reading the file of a position came to.</summary>
/// <param name="Stored">The event; null when there is no valid one.</param>
/// <param name="Problem">What is wrong with the file, as the end of a sentence that begins with it; null when it is valid.</param>
/// <param name="IsOutOfReach">Nothing is known of the file: this user may not read it, or another program holds it.</param>
internal readonly record struct EventFileReading(StoredEvent? Stored, string? Problem, bool IsOutOfReach = false);
