using System.Diagnostics;
using System.Security.Cryptography;
using Opossum.Benchmarks.Measuring;
using Opossum.Maintenance;

namespace Opossum.Benchmarks.Personal;

/// <summary>What forgetting a person costs and leaves.</summary>
/// <param name="Events">The person's events.</param>
/// <param name="Milliseconds">The time of the call.</param>
/// <param name="FilesChanged">The event files that it changed.</param>
/// <param name="TextsFound">Where the encrypted text lies readable afterwards, in all files of the store.</param>
internal sealed record ForgettingCost(int Events, double Milliseconds, int FilesChanged, long TextsFound)
{
    private const int Batch = 1_000;

    public static async Task<ForgettingCost> MeasureAsync(WorkFolder folder, int events, CancellationToken cancellationToken)
    {
        var path = folder.Below("forgetting");
        await using var store = await FileSystemEventStore.OpenAsync(Patient.Options(path, MasterKey.Create()), cancellationToken);
        for (var at = 0; at < events; at += Batch)
        {
            var count = Math.Min(Batch, events - at);
            await store.AppendAsync([.. Enumerable.Range(0, count).Select(static _ => new NewEvent(new Patient("p1", Patient.Secret, "north")))],
                cancellationToken: cancellationToken);
        }
        var before = Digest(path);
        folder.Settle();
        var clock = Stopwatch.StartNew();
        await store.ForgetAsync(new Tag("patient", "p1"), "measured", cancellationToken);
        clock.Stop();
        var after = Digest(path);
        var found = await PersonalDataSearch.RunAsync(path, Patient.Secret, cancellationToken: cancellationToken);
        return new ForgettingCost(events, clock.Elapsed.TotalMilliseconds, before.Count(each => after[each.Key] != each.Value), found.Total);
    }

    private static Dictionary<string, string> Digest(string path) =>
        Directory.GetFiles(Path.Combine(path, "Events"), "*.json", SearchOption.AllDirectories)
            .ToDictionary(static file => file, static file => Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(file))));
}
