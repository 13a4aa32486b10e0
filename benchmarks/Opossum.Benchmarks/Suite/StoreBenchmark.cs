using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>What the benchmarks have in common: a fresh folder for each case, one store in it, and its removal.</summary>
public abstract class StoreBenchmark : IDisposable
{
    private BenchmarkFolder? folder;
    private FileSystemEventStore? store;

    internal BenchmarkFolder Folder => folder!;

    protected FileSystemEventStore Store => store!;

    // Not asynchronous: in a short run BenchmarkDotNet does not wait for these.
    [GlobalSetup]
    public void SetUp() => SetUpAsync().GetAwaiter().GetResult();

    [GlobalCleanup]
    public void Dispose()
    {
        CloseStoreAsync().GetAwaiter().GetResult();
        folder?.Dispose();
        GC.SuppressFinalize(this);
    }

    protected abstract Task SetUpAsync();

    protected void MakeFolder() => folder = new BenchmarkFolder();

    protected async Task OpenStoreAsync(bool flush = true) => store = await Folder.OpenAsync(flush: flush);

    protected async Task CloseStoreAsync()
    {
        if (store is not null)
            await store.DisposeAsync();
        store = null;
    }

    /// <summary>A folder with an open store that holds the events.</summary>
    internal async Task OpenFilledAsync(EventFeed feed, int events)
    {
        MakeFolder();
        await Folder.FillAsync(feed, events);
        await OpenStoreAsync();
    }

    /// <summary>Reads to the end; the sum is the benchmark's result, so that no work is optimised away.</summary>
    protected async Task<long> ReadAsync(Query query, ReadOptions? options = null)
    {
        var sum = 0L;
        await foreach (var each in Store.ReadAsync(query, options))
            sum += each.Json.Length;
        return sum;
    }
}
