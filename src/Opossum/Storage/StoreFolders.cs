using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>The folders of a store, which lie in its own: where they are links, nothing of what is promised of flushing and renaming holds.</summary>
internal static class StoreFolders
{
    /// <exception cref="FileSystemException">One of them is a symbolic link.</exception>
    public static void ThrowIfLinked(IFileSystem fileSystem, StoreLayout layout)
    {
        fileSystem.ThrowIfLink(layout.Events);
        fileSystem.ThrowIfLink(layout.Index);
        fileSystem.ThrowIfLink(layout.Quarantine);
    }
}
