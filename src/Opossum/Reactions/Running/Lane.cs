namespace Opossum.Reactions.Running;

/// <summary>The events of one key that are given out and not done, in order. Used under the gate of <see cref="Lanes"/>.</summary>
internal sealed class Lane(string key)
{
    public string Key => key;

    public Queue<Handling> Waiting { get; } = new();

    /// <summary>Whether a worker has it, or will take it.</summary>
    public bool IsScheduled { get; set; }

    /// <summary>Whether its first event has failed: it waits until the term lets it go on.</summary>
    public bool IsHeld { get; set; }
}
