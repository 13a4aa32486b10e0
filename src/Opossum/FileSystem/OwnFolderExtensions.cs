namespace Opossum.FileSystem;

/// <summary>Folders that the store makes: real ones, which may be missing.</summary>
internal static class OwnFolderExtensions
{
    /// <summary>
    /// Refuses a link or a mounted volume in place of a folder: the guarantees about flushing and renaming do not hold beyond it.
    /// </summary>
    /// <exception cref="FileSystemException">It is a symbolic link or a mounted volume.</exception>
    public static void ThrowIfLink(this IFileSystem fileSystem, string folder)
    {
        if (fileSystem.IsLink(folder))
            throw new FileSystemException(FileError.IsALink, "use", folder, FileSystemException.IsALink);
    }

    /// <summary>
    /// Moves a folder of files that were just written. Windows refuses that while a scanner has one of them open, so it is tried for minutes.
    /// </summary>
    /// <param name="proceed">Called before each attempt; throws to stop them.</param>
    /// <exception cref="FileSystemException">It was refused to the end, or could not be moved at all.</exception>
    public static void MoveFolder(this IFileSystem fileSystem, string from, string to, Action proceed)
    {
        var patience = new Patience(fileSystem.Pause, TimeSpan.FromMinutes(5), TimeSpan.FromMilliseconds(50), TimeSpan.FromSeconds(2));
        while (true)
        {
            proceed();
            try
            {
                fileSystem.MoveFolder(from, to);
                return;
            }
            catch (FileSystemException e) when (e.Error == FileError.InUse && patience.TryPause())
            {
            }
        }
    }

    /// <summary>Creates one folder if it does not exist, and refuses a link in its place.</summary>
    /// <exception cref="FileSystemException">It is a symbolic link or a mounted volume.</exception>
    public static void CreateOwnFolder(this IFileSystem fileSystem, string folder)
    {
        fileSystem.CreateFolder(folder);
        fileSystem.ThrowIfLink(folder);
    }

    /// <summary>The same, and makes its name durable, also where it exists: the process that created it may have ended before that.</summary>
    /// <exception cref="FileSystemException">It is a symbolic link or a mounted volume.</exception>
    public static void CreateOwnFolderDurably(this IFileSystem fileSystem, string folder)
    {
        fileSystem.CreateOwnFolder(folder);
        fileSystem.FlushFolder(FilePath.FolderOf(folder)!);
    }

    /// <summary>The same, which takes a link in its place.</summary>
    public static void CreateFolderDurably(this IFileSystem fileSystem, string folder)
    {
        fileSystem.CreateFolder(folder);
        fileSystem.FlushFolder(FilePath.FolderOf(folder)!);
    }

    /// <summary>
    /// Makes a folder's name and those above it durable, unless the flush of its first file does that. Also for a folder that exists: the
    /// process that created it may have ended before the flush.
    /// </summary>
    public static void FlushAbove(this IFileSystem fileSystem, string folder, Volume volume)
    {
        if (volume.FileFlushCoversName)
            return;
        for (var parent = FilePath.FolderOf(folder); parent is not null; parent = FilePath.FolderOf(parent))
        {
            try
            {
                fileSystem.FlushFolder(parent);
            }
            catch (FileSystemException e) when (e.Error == FileError.AccessDenied)
            {
                // A folder this user cannot open was not created by this store.
                return;
            }
        }
    }

    /// <summary>The names in a folder; none when there is no such folder, also when it is removed meanwhile.</summary>
    public static List<string> ListIfThere(this IFileSystem fileSystem, string folder, bool refusesLink = false)
    {
        if (fileSystem.GetKind(folder) != EntryKind.Folder)
            return [];
        if (refusesLink)
            fileSystem.ThrowIfLink(folder);
        try
        {
            return fileSystem.List(folder);
        }
        catch (FileSystemException e) when (e.Error == FileError.NotFound)
        {
            return [];
        }
    }

    /// <summary>The same, which refuses a link in its place.</summary>
    /// <exception cref="FileSystemException">It is a symbolic link or a mounted volume.</exception>
    public static List<string> ListOwn(this IFileSystem fileSystem, string folder) => fileSystem.ListIfThere(folder, refusesLink: true);
}
