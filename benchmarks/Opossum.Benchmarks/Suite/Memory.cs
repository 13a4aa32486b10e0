using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>How much memory does an open store hold for an event (column Held), and how much does it allocate to open (column Allocated)?</summary>
[HeldMemory]
[MemoryDiagnoser]
public class Memory : StoreBenchmark
{
    [ParamsSource(nameof(AllStoreEvents))]
    public int StoreEvents { get; set; }

    public static IEnumerable<int> AllStoreEvents => Sizes.Of(1_000, 10_000, 100_000);

    protected override async Task SetUpAsync()
    {
        MakeFolder();
        await Folder.FillAsync(new EventFeed(StoreEvents), StoreEvents);
        await OpenStoreAsync();
        await CloseStoreAsync();
        var before = GC.GetTotalMemory(forceFullCollection: true);
        await OpenStoreAsync();
        HeldMemory.Note(nameof(StoreEvents), StoreEvents, (GC.GetTotalMemory(forceFullCollection: true) - before) / (double)StoreEvents);
        await CloseStoreAsync();
    }

    [Benchmark]
    public async Task OpenAndClose()
    {
        await OpenStoreAsync();
        await CloseStoreAsync();
    }
}
