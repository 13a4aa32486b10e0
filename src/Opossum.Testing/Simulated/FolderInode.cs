namespace Opossum.Testing.Simulated;

/// <summary>A folder: its names as programs see them, and the names on the medium.</summary>
internal sealed class FolderInode : Inode
{
    public Dictionary<string, Inode> Entries { get; } = new(StringComparer.Ordinal);

    public Dictionary<string, Inode> DurableEntries { get; } = new(StringComparer.Ordinal);

    /// <summary>For names that a log has put on the medium: the earlier entry, since the last flush of the whole. Only on btrfs.</summary>
    public Dictionary<string, Inode?> EntriesBeforeLog { get; } = new(StringComparer.Ordinal);

    /// <summary>The entries that a power cut brings back under removed names. Only on btrfs.</summary>
    public Dictionary<string, Inode> Revenants { get; } = new(StringComparer.Ordinal);

    public Inode? Find(ReadOnlySpan<char> name) => Entries.GetAlternateLookup<ReadOnlySpan<char>>().TryGetValue(name, out var inode) ? inode : null;
}
