using Opossum.FileSystem.Linux;

namespace Opossum.FileSystem;

/// <summary>
/// Removes a folder and its content by paths, without following links. A link that replaces a folder between the check and the next call is
/// not detected; <see cref="LinuxFolderRemoval"/> has no such gap.
/// </summary>
internal static class FolderRemoval
{
    public static bool TryRemove(IFileSystem fileSystem, string path, ref int filesLeft)
    {
        if (fileSystem.IsLink(path))
            return TryDelete(fileSystem, path, ref filesLeft);
        switch (fileSystem.GetKind(path))
        {
            case EntryKind.Missing:
                return true;
            case EntryKind.File:
                return TryDelete(fileSystem, path, ref filesLeft);
        }
        foreach (var name in fileSystem.List(path))
        {
            if (!TryRemove(fileSystem, FilePath.Join(path, name), ref filesLeft))
                return false;
        }
        fileSystem.DeleteFolder(path);
        return true;
    }

    private static bool TryDelete(IFileSystem fileSystem, string path, ref int filesLeft)
    {
        if (filesLeft == 0)
            return false;
        filesLeft--;
        // On Windows a link can be a folder and is removed as one.
        if (OperatingSystem.IsWindows() && fileSystem.GetKind(path) == EntryKind.Folder)
            fileSystem.DeleteFolder(path);
        else
            fileSystem.Delete(path);
        return true;
    }
}
