namespace Opossum.ProcessTests.Worker;

/// <summary>The data of a random writer's event: enough to judge its append afterwards.</summary>
/// <param name="Writer">Who appended it.</param>
/// <param name="Attempt">Which of the writer's appends it belongs to.</param>
/// <param name="At">Its place among the append's events, from 0.</param>
/// <param name="Of">How many events the append has.</param>
/// <param name="Guard">The append's condition; null: none.</param>
/// <param name="Belief">What the writer had read before.</param>
internal sealed record WrittenEvent(string Writer, int Attempt, int At, int Of, Guard? Guard, Belief Belief)
{
    /// <summary>The key of the tag that the events of one append share.</summary>
    public const string AppendKey = "append";

    public Tag AppendTag => new(AppendKey, $"{Writer}/{Attempt}");
}
