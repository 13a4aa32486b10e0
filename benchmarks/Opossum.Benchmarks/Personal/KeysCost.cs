using System.Diagnostics;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Personal;

/// <summary>What many persons' keys add to opening a store and reading its last event, in microseconds.</summary>
/// <param name="Persons">The number of persons.</param>
/// <param name="With">The time with the keys.</param>
/// <param name="Without">The time of the same store with its folder of keys moved away.</param>
internal sealed record KeysCost(int Persons, Distribution With, Distribution Without)
{
    private const int Batch = 1_000;
    private const int Openings = 30;

    public static async Task<KeysCost> MeasureAsync(WorkFolder folder, int persons, CancellationToken cancellationToken)
    {
        var path = folder.Below("keys");
        var masterKey = MasterKey.Create();
        await using (var store = await FileSystemEventStore.OpenAsync(Patient.Options(path, masterKey), cancellationToken))
        {
            for (var at = 0; at < persons; at += Batch)
            {
                await store.AppendAsync(
                    [.. Enumerable.Range(at, Batch).Select(static each => new NewEvent(new Patient($"p{each}", Patient.Secret, "north")))],
                    cancellationToken: cancellationToken);
            }
        }
        folder.Settle();
        var with = await OpenAsync(path, masterKey);
        Directory.Move(Path.Combine(path, "Keys"), folder.Below("moved"));
        var without = await OpenAsync(path, masterKey);
        return new KeysCost(persons, with, without);
    }

    private static async Task<Distribution> OpenAsync(string path, MasterKey masterKey)
    {
        var times = new List<double>();
        for (var opening = 0; opening <= Openings; opening++)
        {
            var clock = Stopwatch.StartNew();
            await using var store = await FileSystemEventStore.OpenAsync(Patient.Options(path, masterKey));
            await foreach (var e in store.ReadAsync(Query.All, new ReadOptions { Backwards = true, Limit = 1 }))
                _ = e.Data;
            // The first one warms up.
            if (opening > 0)
                times.Add(clock.Elapsed.TotalMicroseconds);
        }
        return new Distribution(times);
    }
}
