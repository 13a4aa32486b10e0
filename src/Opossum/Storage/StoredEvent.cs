using Opossum.Serialization;

namespace Opossum.Storage;

/// <summary>Everything an event file holds.</summary>
internal sealed record StoredEvent(PreparedEvent Content, long Position, CommitRange Commit, long TimestampTicks)
{
    /// <summary>The file's checksum; set once the file's bytes are known.</summary>
    public uint Checksum { get; set; }

    /// <summary>The condition of its append, if the store keeps conditions and it is the first event; null otherwise.</summary>
    public KeptCondition? Condition { get; init; }

    /// <summary>Its canonical text, of an event that was read; null of a new one.</summary>
    public byte[]? Line { get; set; }

    /// <summary>
    /// Whether both events belong to one append. All events of an append carry the same timestamp. Only the timestamp distinguishes them from the
    /// events of another host that took the same positions while the lock failed to exclude it.
    /// </summary>
    public bool IsOfSameAppend(StoredEvent other) => Commit == other.Commit && TimestampTicks == other.TimestampTicks;

    /// <summary>Whether both are one event, which may have been redacted or edited since: its id, and the append that it came with.</summary>
    public bool IsOfSameOrigin(StoredEvent other) => Content.Id == other.Content.Id && IsOfSameAppend(other);
}
