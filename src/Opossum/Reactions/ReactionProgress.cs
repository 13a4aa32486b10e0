namespace Opossum.Reactions;

/// <summary>How far a reaction is, as its leader knows it, or as its files show it.</summary>
/// <param name="Position">The position up to which the events are searched.</param>
/// <param name="Open">How many events, or ranges of events in the files, up to it are given out and not done.</param>
/// <param name="Failing">How many of them have failed.</param>
/// <param name="Parked">The positions of the parked events, ascending.</param>
/// <param name="Scheduled">How many events are scheduled.</param>
/// <param name="Halt">Why nothing is handled; null: it is.</param>
internal sealed record ReactionProgress(long Position, int Open, int Failing, IReadOnlyList<long> Parked, int Scheduled, string? Halt);
