using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>Removes a folder with all that is in it.</summary>
internal static class FolderRemoval
{
    public static void Remove(IFileSystem fileSystem, string folder)
    {
        var filesLeft = int.MaxValue;
        TryRemove(fileSystem, folder, ref filesLeft);
    }

    /// <summary>Removes at most so many files; false when there are more.</summary>
    public static bool TryRemove(IFileSystem fileSystem, string folder, ref int filesLeft)
    {
        foreach (var name in fileSystem.List(folder))
        {
            var path = FilePath.Join(folder, name);
            if (fileSystem.GetKind(path) == EntryKind.Folder)
            {
                if (!TryRemove(fileSystem, path, ref filesLeft))
                    return false;
                continue;
            }
            if (filesLeft-- == 0)
                return false;
            fileSystem.Delete(path);
        }
        fileSystem.DeleteFolder(folder);
        return true;
    }
}
