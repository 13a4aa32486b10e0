namespace Opossum.Reactions;

/// <summary>How far a reaction is, as its leader knows it.</summary>
/// <param name="Position">The position up to which the events are searched.</param>
/// <param name="Open">How many events up to it are given out and not done.</param>
/// <param name="Failing">How many of them have failed.</param>
/// <param name="Parked">How many events are parked.</param>
/// <param name="Scheduled">How many events are scheduled.</param>
/// <param name="Halt">Why nothing is handled; null: it is.</param>
internal sealed record ReactionProgress(long Position, int Open, int Failing, int Parked, int Scheduled, string? Halt);
