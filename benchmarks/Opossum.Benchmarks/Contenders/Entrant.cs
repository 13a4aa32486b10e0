using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Contenders;

/// <summary>A contender with the feed of its events, so that what it returns can be compared with what it was given.</summary>
internal sealed class Entrant(IContender contender, EventFeed feed) : IAsyncDisposable
{
    /// <summary>The number of events in a batch.</summary>
    public const int Batch = 100;

    /// <summary>The number of concurrent writers, where there are several.</summary>
    public const int Writers = 64;

    public string Name => contender.Name;

    /// <summary>The number of events it was given.</summary>
    public int Events => feed.Digest.Events;

    /// <exception cref="InvalidCastException">The contender is a raw loop.</exception>
    public IStoreContender Store => (IStoreContender)contender;

    public static async Task<Entrant> OpenAsync(string name, string folder, EventFeed feed, bool flush = true) =>
        new(await Contender.OpenAsync(name, folder, flush), feed);

    public Slice Alone(int events) => Appends(events, () => feed.Take(events), contender.AppendAloneAsync);

    public Slice AloneUnderCondition(int events) => Appends(events, () => feed.Take(events), Store.AppendAloneUnderConditionAsync);

    public Slice Concurrently(int writers, int each) =>
        Appends(writers * each, () => feed.TakeForWriters(writers, each), contender.AppendConcurrentlyAsync);

    public Slice ConcurrentlyUnderCondition(int writers, int each) =>
        Appends(writers * each, () => feed.TakeForWriters(writers, each), Store.AppendConcurrentlyUnderConditionAsync);

    public Slice Batches(int batches, int size = Batch) =>
        Appends(batches * size, () => Enumerable.Range(0, batches).Select(_ => feed.Take(size)).ToArray(), async lists =>
    {
        foreach (var events in lists)
            await contender.AppendTogetherAsync(events);
    });

    /// <summary>Decisions at the same time: each reads the events of its order, then appends one under the condition that none came since.</summary>
    public Slice Decisions(int writers) => Appends(writers, () => feed.Take(writers), async events =>
    {
        foreach (var each in events)
            await Store.ReadAsync(each.Tags[0], PayloadAs.Object);
        await (writers == 1
            ? Store.AppendAloneUnderConditionAsync(events)
            : Store.AppendConcurrentlyUnderConditionAsync([.. events.Select(static each => new[] { each })]));
    });

    /// <summary>Appends the given number of steps in one of the ways: events, batches, or one event per writer.</summary>
    public async Task AppendAsync(AppendWay way, int steps, int writers = Writers)
    {
        var slice = way switch
        {
            AppendWay.Alone => Alone(steps),
            AppendWay.Together => Batches(steps),
            _ => Concurrently(writers, steps),
        };
        await (await slice.PrepareAsync())();
    }

    /// <exception cref="InvalidDataException">It returns other events than it was given.</exception>
    public async Task VerifyAsync() => feed.Digest.ThrowUnlessReadBack(await contender.ReadBackAsync(), Name);

    public ValueTask DisposeAsync() => contender.DisposeAsync();

    private Slice Appends<T>(int events, Func<T> take, Func<T, Task> append) => new(Name, events, () =>
    {
        var taken = take();
        return () => append(taken);
    });
}
