namespace Opossum.CliTests;

/// <summary>Waits until a file of some name appears below a folder.</summary>
internal sealed class Appearance : IDisposable
{
    private static readonly TimeSpan patience = TimeSpan.FromMinutes(1);

    private readonly TaskCompletionSource seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly FileSystemWatcher watcher;

    public Appearance(string folder, Func<string, bool> isWanted)
    {
        watcher = new FileSystemWatcher(folder) { IncludeSubdirectories = true };
        watcher.Created += (_, e) =>
        {
            if (isWanted(e.FullPath))
                seen.TrySetResult();
        };
        watcher.Renamed += (_, e) =>
        {
            if (isWanted(e.FullPath))
                seen.TrySetResult();
        };
        watcher.EnableRaisingEvents = true;
    }

    /// <summary>Completes when it is there.</summary>
    public Task Seen => seen.Task.WaitAsync(patience);

    public void Dispose() => watcher.Dispose();
}
