using Opossum.Serialization;

namespace Opossum.Storage;

/// <summary>All that an event file holds.</summary>
internal sealed record StoredEvent(PreparedEvent Content, long Position, CommitRange Commit, long TimestampTicks)
{
    /// <summary>The file's checksum; known once the file's bytes are.</summary>
    public uint Checksum { get; set; }

    /// <summary>
    /// Whether both are of one append. All its events carry one time, and only that tells them from those of another host that wanted the same
    /// positions while the lock kept neither out.
    /// </summary>
    public bool IsOfSameAppend(StoredEvent other) => Commit == other.Commit && TimestampTicks == other.TimestampTicks;
}
