using Opossum.Serialization;

namespace Opossum.Storage;

/// <summary>All that an event file holds.</summary>
internal sealed record StoredEvent(PreparedEvent Content, long Position, CommitRange Commit, long TimestampTicks)
{
    /// <summary>The file's checksum; known once the file's bytes are.</summary>
    public uint Checksum { get; set; }
}
