using Opossum.Testing.Simulated;

namespace Opossum.Benchmarks.Shares;

/// <summary>Counts a client's requests to the server and advances the simulated clock for them.</summary>
internal sealed class RoundTrips(SimulatedClock clock, TimeSpan roundTrip)
{
    private readonly Dictionary<string, int> byOperation = [];
    private TimeSpan? job;

    public int Count => byOperation.Values.Sum();

    /// <summary>The number of round trips, by operation and file.</summary>
    public IReadOnlyDictionary<string, int> ByOperation => byOperation;

    /// <summary>Resets the counts.</summary>
    public void Clear() => byOperation.Clear();

    public void Pay(string operation, string path, int trips)
    {
        if (trips == 0)
            return;
        var name = $"{operation} {KindOf(path)}";
        byOperation[name] = byOperation.GetValueOrDefault(name) + trips;
        if (job is null)
            clock.Advance(trips * roundTrip);
        else
            job += trips * roundTrip;
    }

    /// <summary>Runs jobs in parallel, up to the given number at once; the clock advances until the last has ended.</summary>
    public void InParallel(int count, int threads, Action<int> work)
    {
        var busyUntil = new TimeSpan[Math.Min(count, threads)];
        for (var at = 0; at < count; at++)
        {
            job = TimeSpan.Zero;
            work(at);
            // The first free worker takes the next job.
            var free = Array.IndexOf(busyUntil, busyUntil.Min());
            busyUntil[free] += job.Value;
        }
        job = null;
        if (count > 0)
            clock.Advance(busyUntil.Max());
    }

    private static string KindOf(string path) =>
        path.Contains(".json", StringComparison.Ordinal) && path.Contains("/Events/", StringComparison.Ordinal)
        ? "event file"
        : path[(path.LastIndexOf('/') + 1)..];
}
