using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>Does an append get slower by the number of distinct tags in the store, each on twenty events?</summary>
public class AppendsByTags : StoreBenchmark
{
    private const int EventsPerTag = 20;

    private EventFeed feed = null!;

    [ParamsSource(nameof(AllTags))]
    public int Tags { get; set; }

    public static IEnumerable<int> AllTags => Sizes.Of(100, 1_000, 5_000, 20_000);

    protected override Task SetUpAsync()
    {
        feed = new EventFeed(plannedEvents: 1) { OrderOf = number => number % Tags };
        return OpenFilledAsync(feed, Tags * EventsPerTag);
    }

    [Benchmark]
    public async Task<long> Append() => (await Store.AppendAsync(feed.Take(1))).LastPosition;
}
