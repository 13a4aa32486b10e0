using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Suite;

/// <summary>
/// The folder for the stores of one benchmark case, below the folder that <c>suite --dir</c> names. It is passed in an environment variable,
/// because the benchmarks of a full run are separate processes. Disposing removes it.
/// </summary>
internal sealed class BenchmarkFolder : IDisposable
{
    public const string Variable = "OPOSSUM_BENCHMARK_FOLDER";

    private readonly WorkFolder folder = WorkFolder.CreateNew(Parent, "suite");

    public static string Parent => Environment.GetEnvironmentVariable(Variable) ?? Path.GetTempPath();

    /// <summary>Opens a store, creating it if none of that name exists.</summary>
    public async Task<FileSystemEventStore> OpenAsync(string name = "store", bool flush = true)
    {
        var options = new OpossumOptions { Path = folder.Below(name), FlushEventsImmediately = flush };
        options.EventTypes.Add(PayloadJson.Default.PartMoved);
        return await FileSystemEventStore.OpenAsync(options);
    }

    /// <summary>Fills a store without flushing, one append per event, and closes it.</summary>
    public async Task FillAsync(EventFeed feed, int events, string name = "store")
    {
        await using (var store = await OpenAsync(name, flush: false))
        {
            for (var at = 0; at < events; at++)
                await store.AppendAsync(feed.Take(1));
        }
        folder.Settle();
    }

    public string PathOf(string name = "store") => folder.Below(name);

    public void Dispose() => folder.Dispose();
}
