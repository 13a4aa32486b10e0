using Opossum.FileSystem;

namespace Opossum.Projections.States;

/// <summary>The generations that nothing needs any more: each is moved aside at once, and its files are removed a few at a time.</summary>
internal sealed class OldGenerations(IFileSystem fileSystem, ProjectionLayout layout)
{
    private const int FilesRemovedAtOnce = 256;

    // Folders that could not be removed.
    private readonly HashSet<string> kept = [];

    public void Add(Generation generation)
    {
        fileSystem.MoveFolder(generation.Folder, layout.Generation(GenerationKind.Old, generation.Number).Folder);
        fileSystem.FlushFolder(layout.Root);
    }

    /// <summary>Deletes some files; false when there are none.</summary>
    public bool RemoveSome()
    {
        var filesLeft = FilesRemovedAtOnce;
        foreach (var old in Generations.List(fileSystem, layout).Where(each => each.Kind == GenerationKind.Old && !kept.Contains(each.Folder)))
        {
            try
            {
                if (!fileSystem.RemoveFolder(old.Folder, ref filesLeft))
                    return true;
            }
            catch (FileSystemException)
            {
                // Another program has a file open. Nothing depends on it: the next leader tries again.
                kept.Add(old.Folder);
            }
        }
        return filesLeft < FilesRemovedAtOnce;
    }
}
