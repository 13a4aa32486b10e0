using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>What does it take to open a store that was closed properly, by its size?</summary>
public class Opening : StoreBenchmark
{
    [ParamsSource(nameof(AllStoreEvents))]
    public int StoreEvents { get; set; }

    public static IEnumerable<int> AllStoreEvents => Sizes.Of(1_000, 10_000, 100_000);

    protected override Task SetUpAsync()
    {
        MakeFolder();
        return Folder.FillAsync(new EventFeed(StoreEvents), StoreEvents);
    }

    [Benchmark]
    public async Task OpenAndClose()
    {
        await OpenStoreAsync();
        await CloseStoreAsync();
    }
}
