using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>What does a query take, by tag (ten events) and by event type (a tenth of all), by the size of the store?</summary>
public class Queries : StoreBenchmark
{
    private const int Types = 10;

    private int query;

    [ParamsSource(nameof(AllStoreEvents))]
    public int StoreEvents { get; set; }

    public static IEnumerable<int> AllStoreEvents => Sizes.Of(100, 1_000, 10_000, 100_000);

    protected override Task SetUpAsync() => OpenFilledAsync(new EventFeed(StoreEvents) { TypeOf = static number => number % Types }, StoreEvents);

    [Benchmark]
    public Task<long> ByTag() => ReadAsync(Query.FromTags(EventFeed.Order(query++ % (StoreEvents / EventFeed.EventsPerOrder))));

    [Benchmark]
    public Task<long> ByEventType() => ReadAsync(Query.FromEventTypes(EventFeed.TypeName(query++ % Types)));
}
