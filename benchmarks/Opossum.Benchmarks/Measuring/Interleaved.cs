using System.Diagnostics;

namespace Opossum.Benchmarks.Measuring;

/// <summary>Runs the contenders' slices in rounds, in a different order each round, so that noise of the machine affects all alike.</summary>
internal static class Interleaved
{
    /// <summary>Measures the given number of rounds, after one warm-up round.</summary>
    public static async Task<IReadOnlyList<Measured>> RunAsync(IReadOnlyList<Slice> slices, int rounds, WorkFolder folder,
        CancellationToken cancellationToken)
    {
        var device = folder.Device;
        var times = slices.Select(_ => new List<double>()).ToArray();
        var flushes = slices.Select(_ => new List<double>()).ToArray();
        for (var round = 0; round <= rounds; round++)
        {
            for (var turn = 0; turn < slices.Count; turn++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                var at = (round + turn) % slices.Count;
                var work = await slices[at].PrepareAsync();
                // One contender's unwritten data must not add to another's time.
                folder.Settle();
                var flushesBefore = device?.Flushes ?? 0;
                var started = Stopwatch.GetTimestamp();
                await work();
                var elapsed = Stopwatch.GetElapsedTime(started);
                if (round == 0)
                    continue;
                times[at].Add(elapsed.TotalMicroseconds / slices[at].Operations);
                flushes[at].Add(((device?.Flushes ?? 0) - flushesBefore) / (double)slices[at].Operations);
            }
        }
        return [.. slices.Select((slice, at) => new Measured(slice.Contender, new Distribution(times[at]),
            device is null ? null : new Distribution(flushes[at]).Median))];
    }
}
