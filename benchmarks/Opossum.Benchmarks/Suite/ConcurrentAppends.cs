using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>What do appends gain by coming at the same time, against each being flushed alone?</summary>
public class ConcurrentAppends : StoreBenchmark
{
    private readonly EventFeed feed = new(plannedEvents: 1);

    [Params(10, 50, 100)]
    public int Appends { get; set; }

    protected override Task SetUpAsync()
    {
        MakeFolder();
        return OpenStoreAsync();
    }

    [Benchmark(Baseline = true)]
    public async Task OneAfterAnother()
    {
        foreach (var each in feed.Take(Appends))
            await Store.AppendAsync(each);
    }

    [Benchmark]
    public Task AtTheSameTime() => Task.WhenAll(feed.Take(Appends).Select(each => Store.AppendAsync(each)));
}
