using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>The folders of a store, which lie in its own: where they are links, nothing of what is promised of flushing and renaming holds.</summary>
internal static class StoreFolders
{
    /// <exception cref="FileSystemException">One of them is a symbolic link.</exception>
    public static void ThrowIfLinked(IFileSystem fileSystem, StoreLayout layout)
    {
        ThrowIfLink(fileSystem, layout.Events);
        ThrowIfLink(fileSystem, layout.Index);
        ThrowIfLink(fileSystem, layout.Quarantine);
    }

    /// <exception cref="FileSystemException">It is a symbolic link.</exception>
    public static void ThrowIfLink(IFileSystem fileSystem, string folder)
    {
        if (fileSystem.IsLink(folder))
            throw new FileSystemException(FileError.IsALink, "use", folder, FileSystemException.IsALink);
    }
}
