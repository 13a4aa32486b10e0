using System.Diagnostics;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Testing;

namespace Opossum.Benchmarks.Proof;

/// <summary>Appends to a store that keeps the proof and to one that does not, in turns.</summary>
/// <param name="folder">Where the stores are.</param>
/// <param name="name">What is measured.</param>
/// <param name="appends">The appends of each writer in a round.</param>
/// <param name="writers">How many append at once.</param>
/// <param name="isInMemory">Whether the stores are in memory and processor time is measured: no disk disturbs it.</param>
internal sealed class ProofOfAppends(WorkFolder folder, string name, int appends, int writers, bool isInMemory = false)
{
    /// <summary>The times of an event in microseconds, a value a round, and what the proof adds, by neighbouring rounds.</summary>
    public async Task<(Distribution Without, Distribution With, Differences Extra)> MeasureAsync(int rounds, CancellationToken cancellationToken)
    {
        await using var without = isInMemory ? InMemoryEventStore.Open() : await OpenAsync(folder.Below($"{name}-without"), keepsProof: false);
        await using var with = isInMemory ? InMemoryEventStore.Open(new OpossumOptions { Proof = new ProofOptions() })
            : await OpenAsync(folder.Below($"{name}-with"), keepsProof: true);
        var feed = new EventFeed((rounds + 1) * appends * writers);
        var times = new List<(double Without, double With)>();
        for (var round = 0; round <= rounds; round++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            // In turns, so that noise of the machine and the growth of the store affect both alike. The first round warms up.
            var isFirst = round % 2 == 0;
            var one = await RoundAsync(isFirst ? without : with, feed);
            var other = await RoundAsync(isFirst ? with : without, feed);
            if (round > 0)
                times.Add(isFirst ? (one, other) : (other, one));
        }
        return (new Distribution(times.Select(static time => time.Without)), new Distribution(times.Select(static time => time.With)),
            new Differences([.. times.Select(static time => (time.With - time.Without, (time.With - time.Without) / time.Without))]));
    }

    /// <summary>Opens a store that keeps the proof, or not.</summary>
    public static async Task<FileSystemEventStore> OpenAsync(string path, bool keepsProof) => await FileSystemEventStore.OpenAsync(new OpossumOptions
    {
        Path = path,
        Proof = keepsProof ? new ProofOptions() : null,
    });

    private async Task<double> RoundAsync(FileSystemEventStore store, EventFeed feed)
    {
        var events = feed.Take(appends * writers);
        if (!isInMemory)
            folder.Settle();
        var started = Stopwatch.GetTimestamp();
        var processor = Environment.CpuUsage.TotalTime;
        if (writers == 1)
        {
            foreach (var each in events)
                await store.AppendAsync([each]);
        }
        else
        {
            await Task.WhenAll(Enumerable.Range(0, writers).Select(writer => Task.Run(async () =>
            {
                for (var at = writer; at < events.Length; at += writers)
                    await store.AppendAsync([events[at]]);
            })));
        }
        var time = isInMemory ? Environment.CpuUsage.TotalTime - processor : Stopwatch.GetElapsedTime(started);
        return time.TotalMicroseconds / events.Length;
    }

    /// <summary>What the proof adds to an event, by rounds.</summary>
    internal sealed record Differences(IReadOnlyList<(double Microseconds, double Share)> Rounds)
    {
        public Distribution Each(Func<(double Microseconds, double Share), double> choose) => new(Rounds.Select(choose));
    }
}
