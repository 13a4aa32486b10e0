using System.Collections.Concurrent;

namespace Opossum.FileSystem;

/// <summary>Refuses folders that are symbolic links; checks each folder once.</summary>
internal sealed class OwnFolders(IFileSystem fileSystem)
{
    // Those of two generations of states, or of ten million events.
    private const int FoldersMax = 1_024;

    private readonly ConcurrentDictionary<string, bool> known = new(StringComparer.Ordinal);

    /// <exception cref="FileSystemException">The folder is a symbolic link.</exception>
    public void ThrowIfLink(string folder)
    {
        if (known.ContainsKey(folder))
            return;
        fileSystem.ThrowIfLink(folder);
        if (known.Count >= FoldersMax)
            known.Clear();
        known.TryAdd(folder, true);
    }
}
