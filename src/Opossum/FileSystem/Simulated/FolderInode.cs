namespace Opossum.FileSystem.Simulated;

/// <summary>A folder: its names as programs see them, and those that are on the medium.</summary>
internal sealed class FolderInode : Inode
{
    public Dictionary<string, Inode> Entries { get; } = new(StringComparer.Ordinal);

    public Dictionary<string, Inode> DurableEntries { get; } = new(StringComparer.Ordinal);

    public Inode? Find(ReadOnlySpan<char> name) => Entries.GetAlternateLookup<ReadOnlySpan<char>>().TryGetValue(name, out var inode) ? inode : null;
}
