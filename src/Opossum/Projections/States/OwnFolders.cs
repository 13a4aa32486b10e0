using System.Collections.Concurrent;
using Opossum.FileSystem;

namespace Opossum.Projections.States;

/// <summary>Refuses state folders that are symbolic links; checks each folder once.</summary>
internal sealed class OwnFolders(IFileSystem fileSystem)
{
    // The folders of a generation and of its replacement.
    private const int FoldersMax = 2 * ProjectionLayout.Buckets;

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
