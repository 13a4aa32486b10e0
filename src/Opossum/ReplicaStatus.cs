using Opossum.Maintenance;

namespace Opossum;

/// <summary>What the folder of a replica, or of a former store, says about itself: see <see cref="StoreReplica"/>.</summary>
public sealed record ReplicaStatus
{
    /// <summary>The folder that is followed or, of a former store, the one that was promoted in its place.</summary>
    public required string Source { get; init; }

    /// <summary>The term of the store in <see cref="Source"/>.</summary>
    public required int Term { get; init; }

    /// <summary>The last position of the store when it was last seen, whether or not that event was durable.</summary>
    public required long SourceHead { get; init; }

    /// <summary>When the store was last seen, to a few seconds; null: never.</summary>
    public required DateTimeOffset? At { get; init; }

    /// <summary>Whether the folder was the store, and another one was promoted in its place.</summary>
    public required bool IsFormerStore { get; init; }

    /// <summary>Whether the file that says it, replica.json, is damaged: then the folder may be either, nothing is appended there,
    /// and the other members say nothing.</summary>
    public bool IsDamaged { get; init; }
}
