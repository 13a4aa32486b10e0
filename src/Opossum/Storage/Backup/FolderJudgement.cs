using Opossum.FileSystem;

namespace Opossum.Storage.Backup;

/// <summary>Whether two folders are apart, whichever paths lead to them.</summary>
internal static class FolderJudgement
{
    /// <exception cref="StoreMaintenanceException">The folders are the same, or one lies in the other.</exception>
    public static void ThrowIfNested(IFileSystem fileSystem, string source, string target)
    {
        if (IsInside(fileSystem, target, source) || IsInside(fileSystem, source, target))
        {
            throw new StoreMaintenanceException(target,
                $"{target} and {source} are the same folder, or one lies in the other. Choose a folder outside "
                + "the store, best on another disk. Nothing was changed.");
        }
    }

    // By path, and by the identity of store.json, which a link or another spelling does not hide.
    private static bool IsInside(IFileSystem fileSystem, string path, string folder)
    {
        var storeFile = fileSystem.FindId(FilePath.Join(folder, StoreLayout.StoreFileName));
        for (var above = path; above is not null; above = FilePath.FolderOf(above))
        {
            if (above == folder || (storeFile is not null && fileSystem.FindId(FilePath.Join(above, StoreLayout.StoreFileName)) == storeFile))
                return true;
        }
        return false;
    }
}
