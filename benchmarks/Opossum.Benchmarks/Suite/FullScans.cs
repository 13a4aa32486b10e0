using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>What does reading every event take, forwards, backwards, and with the payload as an object?</summary>
public class FullScans : StoreBenchmark
{
    private static readonly ReadOptions backwards = new() { Backwards = true };

    [ParamsSource(nameof(AllStoreEvents))]
    public int StoreEvents { get; set; }

    public static IEnumerable<int> AllStoreEvents => Sizes.Of(1_000, 10_000, 100_000);

    protected override Task SetUpAsync() => OpenFilledAsync(new EventFeed(StoreEvents), StoreEvents);

    [Benchmark(Baseline = true)]
    public Task<long> Ascending() => ReadAsync(Query.All);

    [Benchmark]
    public Task<long> Descending() => ReadAsync(Query.All, backwards);

    [Benchmark]
    public async Task<long> Objects()
    {
        var sum = 0L;
        await foreach (var each in Store.ReadAsync(Query.All))
            sum += ((PartMoved)each.Data!).Quantity;
        return sum;
    }
}
