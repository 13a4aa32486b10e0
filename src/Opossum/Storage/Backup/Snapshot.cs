namespace Opossum.Maintenance;

/// <summary>A snapshot: a whole backup in a folder that is named by the time at which the run began.</summary>
public sealed record Snapshot
{
    /// <summary>Its folder, which a restore takes.</summary>
    public required string Path { get; init; }

    /// <summary>When its run began, in UTC: what its name says.</summary>
    public required DateTimeOffset Time { get; init; }

    /// <summary>The id of the store; null when it cannot be read.</summary>
    public Guid? StoreId { get; init; }

    /// <summary>The term of the store in it.</summary>
    internal int Term { get; init; }

    /// <summary>The last position in it; 0 when it has no event, or cannot be read.</summary>
    public long Head { get; init; }

    /// <summary>The time of the last event; null when there is none, or it cannot be read.</summary>
    public DateTimeOffset? LastEventAt { get; init; }

    /// <summary>
    /// Why the folder does not count as a snapshot, as the end of a sentence that begins with its path: its last event file is damaged, or it is
    /// used otherwise. No rule counts or removes it then. Null: it counts; only <see cref="StoreCheck"/> reads all of it.
    /// </summary>
    public string? Problem { get; init; }
}
