using Opossum.FileSystem.Linux;

namespace Opossum.FileSystem;

/// <summary>
/// Removes a folder with what is in it, by paths: whatever is a link when it is looked at is not followed. Who puts a link in a folder's place
/// between that look and the next is not found out; <see cref="LinuxFolderRemoval"/> leaves no such moment.
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
        // Windows has links that are folders, and removes them as such.
        if (OperatingSystem.IsWindows() && fileSystem.GetKind(path) == EntryKind.Folder)
            fileSystem.DeleteFolder(path);
        else
            fileSystem.Delete(path);
        return true;
    }
}
