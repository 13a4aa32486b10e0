namespace Opossum.Testing.Simulated;

/// <summary>A folder: its names as programs see them, and those that are on the medium.</summary>
internal sealed class FolderInode : Inode
{
    public Dictionary<string, Inode> Entries { get; } = new(StringComparer.Ordinal);

    public Dictionary<string, Inode> DurableEntries { get; } = new(StringComparer.Ordinal);

    /// <summary>Of names that a log has put on the medium: what was there before, since the whole was flushed last. Only like btrfs.</summary>
    public Dictionary<string, Inode?> EntriesBeforeLog { get; } = new(StringComparer.Ordinal);

    /// <summary>What a power cut brings back under names that were removed. Only like btrfs.</summary>
    public Dictionary<string, Inode> Revenants { get; } = new(StringComparer.Ordinal);

    public Inode? Find(ReadOnlySpan<char> name) => Entries.GetAlternateLookup<ReadOnlySpan<char>>().TryGetValue(name, out var inode) ? inode : null;
}
