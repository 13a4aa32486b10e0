using BenchmarkDotNet.Attributes;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Suite;

/// <summary>How much is allocated per event read, and per event appended (column Allocated; creating the events to append is not counted)?</summary>
[MemoryDiagnoser]
public class Allocations : StoreBenchmark
{
    private const int Events = 100;

    private NewEvent[] events = [];

    protected override Task SetUpAsync()
    {
        var feed = new EventFeed(Events);
        events = feed.Take(Events);
        return OpenFilledAsync(feed, Events);
    }

    [Benchmark(OperationsPerInvoke = Events)]
    public Task<long> Read() => ReadAsync(Query.All, new ReadOptions { Limit = Events });

    // Without a condition nothing asks whether these events were appended before.
    [Benchmark(OperationsPerInvoke = Events)]
    public async Task Append()
    {
        foreach (var each in events)
            await Store.AppendAsync(each);
    }
}
