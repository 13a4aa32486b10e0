using Opossum.Testing.Simulated;

namespace Opossum.Benchmarks.Shares;

/// <summary>Counts what a client asks of the server, and lets the simulated clock pass for it.</summary>
internal sealed class RoundTrips(SimulatedClock clock, TimeSpan roundTrip)
{
    private readonly Dictionary<string, int> byOperation = [];
    private TimeSpan? job;

    public int Count => byOperation.Values.Sum();

    /// <summary>How many there were, by operation and file.</summary>
    public IReadOnlyDictionary<string, int> ByOperation => byOperation;

    /// <summary>Forgets what was counted.</summary>
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

    /// <summary>Runs jobs that go on at the same time, so many at once; the clock passes until the last has ended.</summary>
    public void InParallel(int count, int threads, Action<int> work)
    {
        var busyUntil = new TimeSpan[Math.Min(count, threads)];
        for (var at = 0; at < count; at++)
        {
            job = TimeSpan.Zero;
            work(at);
            // Whoever is free first takes the next.
            var free = Array.IndexOf(busyUntil, busyUntil.Min());
            busyUntil[free] += job.Value;
        }
        job = null;
        if (count > 0)
            clock.Advance(busyUntil.Max());
    }

    private static string KindOf(string path) => path.EndsWith(".json", StringComparison.Ordinal) && path.Contains("/Events/", StringComparison.Ordinal)
        ? "event file"
        : path[(path.LastIndexOf('/') + 1)..];
}
