using System.Diagnostics;

namespace Opossum.ProcessTests.Worker;

/// <summary>Measures how many events a second a store takes: one after the other, and by 64 callers at once.</summary>
internal static class AppendRates
{
    private const int CallersAtOnce = 64;

    private static readonly TimeSpan warmUp = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan measured = TimeSpan.FromSeconds(15);

    public static async Task RunAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        foreach (var callers in (int[])[1, CallersAtOnce])
        {
            await AppendAsync(store, callers, warmUp);
            Lines.Say($"{callers} at once: {await AppendAsync(store, callers, measured):0} events/s");
        }
    }

    private static async Task<double> AppendAsync(FileSystemEventStore store, int callers, TimeSpan time)
    {
        var appended = 0;
        var watch = Stopwatch.StartNew();
        await Task.WhenAll(Enumerable.Range(0, callers).Select(async caller =>
        {
            while (watch.Elapsed < time)
            {
                await store.AppendAsync([NewEvent.FromJson("measured", """{"text":"An event of about a hundred bytes of data, as many are."}""",
                    new Tag("caller", $"{caller}"))]);
                Interlocked.Increment(ref appended);
            }
        }));
        return appended / watch.Elapsed.TotalSeconds;
    }
}
