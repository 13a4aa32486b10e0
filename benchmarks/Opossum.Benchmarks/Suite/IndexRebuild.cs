using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;
using Opossum.Storage.Folders;

namespace Opossum.Benchmarks.Suite;

/// <summary>What does it take to derive the index from the event files?</summary>
public class IndexRebuild : StoreBenchmark
{
    [ParamsSource(nameof(AllStoreEvents))]
    public int StoreEvents { get; set; }

    public static IEnumerable<int> AllStoreEvents => Sizes.Of(1_000, 10_000);

    protected override Task SetUpAsync()
    {
        MakeFolder();
        return Folder.FillAsync(new EventFeed(StoreEvents), StoreEvents);
    }

    [Benchmark]
    public async Task DeleteIndexAndOpen()
    {
        Directory.Delete(new StoreLayout(Folder.PathOf()).Index, recursive: true);
        await OpenStoreAsync();
        await CloseStoreAsync();
    }
}
