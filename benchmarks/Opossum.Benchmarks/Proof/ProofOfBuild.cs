using System.Diagnostics;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Maintenance;

namespace Opossum.Benchmarks.Proof;

/// <summary>Builds the tree of a store that has events and no tree yet.</summary>
internal static class ProofOfBuild
{
    private const int EventsOfAppend = 1_000;

    /// <summary>How long the tree of a number of events takes, and the bytes of its files.</summary>
    public static async Task<(int Events, TimeSpan Time, long Bytes)> MeasureAsync(WorkFolder folder, int events, CancellationToken cancellationToken)
    {
        var path = folder.Below("built");
        var options = new OpossumOptions { Path = path, FlushEventsImmediately = false };
        await using (var store = await FileSystemEventStore.OpenAsync(options, cancellationToken))
        {
            var feed = new EventFeed(events);
            for (var at = 0; at < events; at += EventsOfAppend)
                await store.AppendAsync(feed.Take(EventsOfAppend), cancellationToken: cancellationToken);
        }
        folder.Settle();
        var started = Stopwatch.GetTimestamp();
        await StoreProof.BuildAsync(path, cancellationToken: cancellationToken);
        var time = Stopwatch.GetElapsedTime(started);
        var files = Directory.EnumerateFiles(Path.Combine(path, "Proof"), "*", SearchOption.AllDirectories);
        var bytes = files.Sum(static file => new FileInfo(file).Length);
        return (events, time, bytes);
    }
}
