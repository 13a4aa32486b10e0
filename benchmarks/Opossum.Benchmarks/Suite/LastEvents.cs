using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>What do the last events of a large store take, of all and of those with a tag?</summary>
public class LastEvents : StoreBenchmark
{
    private static readonly int storeEvents = Sizes.Of(10_000);

    private ReadOptions last = new();

    [ParamsSource(nameof(AllEvents))]
    public int Events { get; set; }

    public static IEnumerable<int> AllEvents => Sizes.Of(1, 10, 100, 1_000);

    protected override Task SetUpAsync()
    {
        last = new ReadOptions { Backwards = true, Limit = Events };
        return OpenFilledAsync(new EventFeed(storeEvents), storeEvents);
    }

    [Benchmark]
    public Task<long> OfAll() => ReadAsync(Query.All, last);

    [Benchmark]
    public Task<long> ByTag() => ReadAsync(Query.FromTags(EventFeed.Machine(0)), last);
}
