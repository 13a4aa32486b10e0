namespace Opossum.FileSystem;

internal static class LinkRefusal
{
    /// <summary>Refuses a link in place of a folder: the guarantees about flushing and renaming do not hold beyond a link.</summary>
    /// <exception cref="FileSystemException">It is a symbolic link.</exception>
    public static void ThrowIfLink(this IFileSystem fileSystem, string folder)
    {
        if (fileSystem.IsLink(folder))
            throw new FileSystemException(FileError.IsALink, "use", folder, FileSystemException.IsALink);
    }

    /// <summary>Creates one folder if it does not exist, and refuses a link in its place.</summary>
    /// <exception cref="FileSystemException">It is a symbolic link.</exception>
    public static void CreateOwnFolder(this IFileSystem fileSystem, string folder)
    {
        fileSystem.CreateFolder(folder);
        fileSystem.ThrowIfLink(folder);
    }
}
