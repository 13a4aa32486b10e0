namespace Opossum.FileSystem;

/// <summary>Refuses folders that are symbolic links or mounted volumes; checks each folder once.</summary>
internal sealed class OwnFolders(IFileSystem fileSystem)
{
    // Those of two generations of states, or of ten million events.
    private const int FoldersMax = 1_024;

    private readonly HashSet<string> known = new(StringComparer.Ordinal);

    /// <exception cref="FileSystemException">The folder is a symbolic link or a mounted volume.</exception>
    public void ThrowIfLink(string folder)
    {
        lock (known)
        {
            if (known.Contains(folder))
                return;
        }
        fileSystem.ThrowIfLink(folder);
        lock (known)
        {
            if (known.Count >= FoldersMax)
                known.Clear();
            known.Add(folder);
        }
    }
}
