using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>What does a condition add to an append, by the number of events that match its query, and by the size of the store?</summary>
public class ConditionalAppends : StoreBenchmark
{
    private EventFeed feed = null!;
    private long last;

    [ParamsSource(nameof(AllStoreEvents))]
    public int StoreEvents { get; set; }

    public static IEnumerable<int> AllStoreEvents => Sizes.Of(1_000, 100_000);

    [Params(0, 10, 1_000)]
    public int Matches { get; set; }

    protected override async Task SetUpAsync()
    {
        feed = new EventFeed(StoreEvents);
        await OpenFilledAsync(feed, StoreEvents);
        last = StoreEvents;
    }

    [Benchmark(Baseline = true)]
    public async Task WithoutCondition() => last = (await Store.AppendAsync(feed.Take(1))).LastPosition;

    [Benchmark]
    public async Task WithCondition()
    {
        var tag = Matches switch
        {
            0 => new Tag("order", "of nobody"),
            EventFeed.EventsPerOrder => EventFeed.Order(0),
            _ => EventFeed.Machine(0),
        };
        last = (await Store.AppendAsync(feed.Take(1), new AppendCondition(Query.FromTags(tag), last))).LastPosition;
    }
}
