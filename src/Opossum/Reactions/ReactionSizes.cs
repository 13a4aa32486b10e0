namespace Opossum.Reactions;

/// <summary>How many events a reaction takes at a time, and how many it keeps. Tests take fewer.</summary>
internal sealed record ReactionSizes
{
    /// <summary>The events that are read and handed out at a time.</summary>
    public int EventsABatch { get; init; } = 8_192;

    /// <summary>The bytes of data after which no further event is read at a time, and none while that much is open.</summary>
    public long BytesABatch { get; init; } = 8 * 1024 * 1024;

    /// <summary>The events of a key that has waited that are read and handed out at a time.</summary>
    public int EventsOfAKeyABatch { get; init; } = 256;

    /// <summary>A key with more events does not keep a worker from the others.</summary>
    public int EventsATurn { get; init; } = 100;

    /// <summary>The term is not woken for each event that is done, but before it has none left to hand out.</summary>
    public int DoneAtOnce { get; init; } = 4_096;

    /// <summary>More events are not parked: this number of failures means that something else is wrong, and they are retried.</summary>
    public int ParkedMax { get; init; } = 1_000;

    /// <summary>More events cannot be scheduled by one reaction at a time.</summary>
    public int ScheduledMax { get; init; } = 100_000;

    /// <summary>So many events whose time has come are appended at a time: a backlog does not keep the term from other work.</summary>
    public int DueAtOnce { get; init; } = 256;
}
