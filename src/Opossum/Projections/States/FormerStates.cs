using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Projections.States;

/// <summary>What the projections of a store have built before it becomes a copy of another one.</summary>
internal static class FormerStates
{
    /// <summary>
    /// Removes it, durably, and has rows in a database built again: what is changed in the other store from now on, as by a redaction, would stay.
    /// It can be repeated after a crash.
    /// </summary>
    /// <param name="projections">The folder of all projections of the store.</param>
    public static void RemoveAll(IFileSystem fileSystem, string projections)
    {
        foreach (var name in fileSystem.ListIfThere(projections).Where(NameRules.IsFolderName))
        {
            var layout = new ProjectionLayout(projections, name);
            if (fileSystem.GetKind(layout.Root) == EntryKind.Folder)
                Remove(fileSystem, layout);
        }
    }

    private static void Remove(IFileSystem fileSystem, ProjectionLayout layout)
    {
        // Order matters: the file alone says that there are rows, which would otherwise keep what is redacted.
        if (fileSystem.GetKind(layout.RowFile) != EntryKind.Missing)
            new LeaderRequest(Guid.NewGuid(), RequestKind.Rebuild).Write(fileSystem, layout);
        // Order matters: renamed before its first file goes, or what a crash leaves of the states would count as all.
        foreach (var each in Generations.List(fileSystem, layout).Where(static each => each.Kind != GenerationKind.Old))
            fileSystem.MoveFolder(each.Folder, layout.Generation(GenerationKind.Old, each.Number).Folder);
        fileSystem.FlushFolder(layout.Root);
        fileSystem.RemoveEntries(layout.Root, path =>
            path == layout.LockFile || path == layout.Requests || LedFolder.DoneOf(Path.GetFileName(path)) is not null);
        fileSystem.FlushFolder(layout.Root);
    }
}
