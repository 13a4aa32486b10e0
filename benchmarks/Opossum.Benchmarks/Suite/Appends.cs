using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>What does an append take, by its number of events, flushed and not flushed?</summary>
public class Appends : StoreBenchmark
{
    private readonly EventFeed feed = new(plannedEvents: 1);

    [Params(1, 5, 10, 100)]
    public int Events { get; set; }

    [Params(true, false)]
    public bool Flush { get; set; }

    protected override Task SetUpAsync()
    {
        MakeFolder();
        return OpenStoreAsync(Flush);
    }

    [Benchmark]
    public async Task<long> Append() => (await Store.AppendAsync(feed.Take(Events))).LastPosition;
}
