using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Storage.Sealing;

/// <summary>
/// Seals the older folders of an open store in the background: when it is opened, and when a folder is full. A failure is logged, and appends and
/// reads go on.
/// </summary>
internal sealed class BackgroundSealing(StoreFolder folder, int keepNewest, TimeProvider clock, ILogger logger) : IDisposable
{
    private readonly EndableWork work = new(e => StoreLog.NotSealed(logger, folder.Root, e.Message, e));
    private long lastShard = -1;

    /// <summary>Notes the last position: seals when it is the first time, or in another folder than before.</summary>
    public void Note(long head)
    {
        var shard = folder.Layout.ShardOf(head);
        if (shard > 0 && Interlocked.Exchange(ref lastShard, shard) != shard)
            BackgroundThread.Start(Run, "Opossum sealing");
    }

    /// <summary>Seals what is due, unless another process does.</summary>
    public void Run() => work.Do(Seal);

    /// <summary>Stops, between two steps.</summary>
    public void Dispose() => work.Dispose();

    private void Seal()
    {
        using var run = SealingRun.Begin(folder, clock, static (_, _) => { }, work.Ending, waits: false);
        if (run?.Seal(keepNewest) is not { Folders: > 0 } report)
            return;
        Instruments.SealedEvents.Add(report.Events, Telemetry.Of(folder.Root));
        StoreLog.Sealed(logger, report.Folders, folder.Root, report.Events);
    }
}
