namespace Opossum.FileSystem;

internal static class LinkRefusal
{
    /// <summary>Refuses a link in the place of a folder: nothing of what is promised of flushing and renaming holds for what lies behind one.</summary>
    /// <exception cref="FileSystemException">It is a symbolic link.</exception>
    public static void ThrowIfLink(this IFileSystem fileSystem, string folder)
    {
        if (fileSystem.IsLink(folder))
            throw new FileSystemException(FileError.IsALink, "use", folder, FileSystemException.IsALink);
    }

    /// <summary>Makes one folder, which is no link when it is there.</summary>
    /// <exception cref="FileSystemException">It is a symbolic link.</exception>
    public static void CreateOwnFolder(this IFileSystem fileSystem, string folder)
    {
        fileSystem.CreateFolder(folder);
        fileSystem.ThrowIfLink(folder);
    }
}
