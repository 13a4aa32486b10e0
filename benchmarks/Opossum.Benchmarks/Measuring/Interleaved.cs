using System.Diagnostics;

namespace Opossum.Benchmarks.Measuring;

/// <summary>Runs the contenders' slices in rounds, in a different order each round, so that noise of the machine affects all alike.</summary>
internal static class Interleaved
{
    /// <summary>Measures the given number of rounds.</summary>
    /// <param name="slices">The contenders' work.</param>
    /// <param name="rounds">How many rounds are measured.</param>
    /// <param name="warmUp">How long rounds run before, for each slice; at least one round does.</param>
    /// <param name="folder">Where they work.</param>
    /// <param name="cancellationToken">Cancels the run.</param>
    /// <param name="repeats">How many times a slice runs in each turn, each of them measured.</param>
    public static async Task<IReadOnlyList<Measured>> RunAsync(IReadOnlyList<Slice> slices, int rounds, TimeSpan warmUp, WorkFolder folder,
        CancellationToken cancellationToken, int repeats = 1)
    {
        var device = folder.Device;
        var begun = Stopwatch.GetTimestamp();
        var times = slices.Select(_ => new List<double>()).ToArray();
        var flushes = slices.Select(_ => new List<double>()).ToArray();
        var isWarm = false;
        for (var round = 0; times[0].Count < rounds * repeats; round++)
        {
            for (var turn = 0; turn < slices.Count; turn++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                var at = (round + turn) % slices.Count;
                var works = new List<Func<Task>>(repeats);
                while (works.Count < repeats)
                    works.Add(await slices[at].PrepareAsync());
                // One contender's unwritten data must not add to another's time.
                folder.Settle();
                var flushesBefore = device?.Flushes ?? 0;
                foreach (var work in works)
                {
                    var started = Stopwatch.GetTimestamp();
                    await work();
                    var elapsed = Stopwatch.GetElapsedTime(started);
                    if (isWarm)
                        times[at].Add(elapsed.TotalMicroseconds / slices[at].Operations);
                }
                if (isWarm)
                    flushes[at].Add(((device?.Flushes ?? 0) - flushesBefore) / (double)(slices[at].Operations * repeats));
            }
            isWarm = isWarm || Stopwatch.GetElapsedTime(begun) >= warmUp * slices.Count;
        }
        return [.. slices.Select((slice, at) => new Measured(slice.Contender, new Distribution(times[at]),
            device is null ? null : new Distribution(flushes[at]).Median))];
    }
}
