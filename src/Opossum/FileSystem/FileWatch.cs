namespace Opossum.FileSystem;

/// <summary>Hears from the operating system that a file was written: inotify on Linux, ReadDirectoryChangesW on Windows, FSEvents on macOS.</summary>
internal static class FileWatch
{
    /// <summary>Begins to watch; null: it is not possible here, or no more watches may be had.</summary>
    public static IDisposable? TryStart(string path, Action written)
    {
        FileSystemWatcher? watcher = null;
        try
        {
            watcher = new FileSystemWatcher(Path.GetDirectoryName(path)!, Path.GetFileName(path)) { NotifyFilter = NotifyFilters.LastWrite | NotifyFilters.Size };
            watcher.Changed += (_, _) => written();
            watcher.EnableRaisingEvents = true;
            return watcher;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException or PlatformNotSupportedException)
        {
            // The folder may not be there, and Linux gives each user 128 watchers unless told otherwise.
            watcher?.Dispose();
            return null;
        }
    }
}
