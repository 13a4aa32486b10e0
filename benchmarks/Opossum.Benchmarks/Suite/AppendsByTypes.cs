using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>Does an append get slower by the number of event types in the store, each with two events?</summary>
public class AppendsByTypes : StoreBenchmark
{
    private const int EventsPerType = 2;

    private EventFeed feed = null!;

    [ParamsSource(nameof(AllTypes))]
    public int Types { get; set; }

    public static IEnumerable<int> AllTypes => Sizes.Of(100, 1_000, 5_000);

    protected override Task SetUpAsync()
    {
        feed = new EventFeed(plannedEvents: 1) { TypeOf = number => number % Types };
        return OpenFilledAsync(feed, Types * EventsPerType);
    }

    [Benchmark]
    public async Task<long> Append() => (await Store.AppendAsync(feed.Take(1))).LastPosition;
}
