namespace Opossum.FileSystem;

/// <summary>
/// Is notified by the operating system when a file is written: inotify on Linux, ReadDirectoryChangesW on Windows, FSEvents on macOS.
/// </summary>
internal static class FileWatch
{
    /// <summary>Starts watching; null when the system cannot watch here or has no more watches.</summary>
    public static IDisposable? TryStart(string path, Action written)
    {
        FileSystemWatcher? watcher = null;
        try
        {
            watcher =
                new FileSystemWatcher(Path.GetDirectoryName(path)!,
                    Path.GetFileName(path))
                { NotifyFilter = NotifyFilters.LastWrite | NotifyFilters.Size };
            watcher.Changed += (_, _) => written();
            watcher.EnableRaisingEvents = true;
            return watcher;
        }
        catch (
            Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException or PlatformNotSupportedException)
        {
            // The folder may not exist, and Linux by default allows each user 128 watchers.
            watcher?.Dispose();
            return null;
        }
    }
}
