namespace Opossum.Reactions;

/// <summary>How many events a reaction takes at a time. Tests take fewer.</summary>
internal sealed record ReactionSizes
{
    /// <summary>So many events are read and handed out at a time.</summary>
    public int EventsABatch { get; init; } = 8_192;

    /// <summary>So many events of a key that has waited are read and handed out at a time.</summary>
    public int EventsOfAKeyABatch { get; init; } = 256;

    /// <summary>A key with more events does not keep a worker from the others.</summary>
    public int EventsATurn { get; init; } = 100;

    /// <summary>The term is not woken for each event that is done, but before it has none left to hand out.</summary>
    public int DoneAtOnce { get; init; } = 4_096;
}
