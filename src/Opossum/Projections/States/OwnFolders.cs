using System.Collections.Concurrent;
using Opossum.FileSystem;

namespace Opossum.Projections.States;

/// <summary>Makes sure that the folders in which states are looked for are no links; of each once.</summary>
internal sealed class OwnFolders(IFileSystem fileSystem)
{
    // Those of a generation and of the one that takes its place.
    private const int FoldersMax = 2 * ProjectionLayout.Buckets;

    private readonly ConcurrentDictionary<string, bool> known = new(StringComparer.Ordinal);

    /// <exception cref="FileSystemException">It is a symbolic link.</exception>
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
