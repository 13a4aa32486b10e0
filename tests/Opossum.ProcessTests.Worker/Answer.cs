namespace Opossum.ProcessTests.Worker;

/// <summary>How an append of a random writer ended.</summary>
/// <param name="Writer">Whose it was.</param>
/// <param name="Attempt">Which of the writer's appends.</param>
/// <param name="Guard">Its condition; null: none.</param>
/// <param name="Appended">The positions of its events; null: it was refused, or failed.</param>
/// <param name="Conflict">The position named as the reason of the refusal.</param>
/// <param name="Head">The head named in the refusal.</param>
/// <param name="Failed">What became of it, as the error told; null: it did not fail.</param>
internal sealed record Answer(string Writer, int Attempt, Guard? Guard, AppendResult? Appended, long Conflict, long Head,
    AppendOutcome? Failed = null);
