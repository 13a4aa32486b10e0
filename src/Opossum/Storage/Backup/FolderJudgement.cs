using Opossum.FileSystem;

namespace Opossum.Storage.Backup;

/// <summary>Whether two folders are apart, whichever paths lead to them.</summary>
internal static class FolderJudgement
{
    private const int LinkDepthMax = 20;

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

    /// <summary>Whether two paths lead to one store; false too where one of them cannot be read.</summary>
    public static bool AreSame(IFileSystem fileSystem, string folder, string other)
    {
        try
        {
            return folder == other || (FindId(fileSystem, folder) is { } id && FindId(fileSystem, other) == id);
        }
        catch (FileSystemException)
        {
            return false;
        }
    }

    private static FileId? FindId(IFileSystem fileSystem, string folder) => fileSystem.FindId(FilePath.Join(folder, StoreLayout.StoreFileName));

    // By path, and by the identity of store.json, which a link or another spelling does not hide. Where a link leads below the folder, it is
    // above that place: Unix knows where ".." leads from there, Windows takes it for a part of the text.
    private static bool IsInside(IFileSystem fileSystem, string path, string folder)
    {
        var storeFile = FindId(fileSystem, folder);
        for (var above = path; above is not null; above = FilePath.FolderOf(above))
        {
            if (above == folder || IsThere(above) || (fileSystem.IsLink(above) && Above(above).Any(IsThere)))
                return true;
        }
        return false;

        bool IsThere(string place) => storeFile is not null && FindId(fileSystem, place) == storeFile;

        IEnumerable<string> Above(string link) =>
            Enumerable.Range(1, LinkDepthMax).Select(depth => link + string.Concat(Enumerable.Repeat($"{FilePath.SeparatorOf(link)}..", depth)));
    }
}
