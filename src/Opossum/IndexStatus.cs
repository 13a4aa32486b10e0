namespace Opossum;

/// <summary>
/// The index of a store at one moment: runs hold that of the older events and are looked up; that of the newest events is replayed when the store
/// is opened.
/// </summary>
public readonly record struct IndexStatus
{
    /// <summary>The number of runs; 0 in a store of a few thousand events.</summary>
    public required int Runs { get; init; }

    /// <summary>The number of events whose index is in runs.</summary>
    public required long EventsInRuns { get; init; }

    /// <summary>The bytes of the runs' files.</summary>
    public required long RunBytes { get; init; }

    /// <summary>The number of newest events, which are in no run: opening the store replays their index.</summary>
    public required long EventsReplayed { get; init; }
}
