namespace Opossum.ProcessTests.Worker;

/// <summary>What a writer had read before it appended: the events that match its query, up to the head.</summary>
internal sealed record Belief(GuardItem[] Items, long Head, int Matches, long LastMatch);
