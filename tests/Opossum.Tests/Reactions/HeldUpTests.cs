namespace Opossum.Tests.Reactions;

/// <summary>What one event, key or file that is in a bad way holds up, and what it does not.</summary>
public sealed class HeldUpTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolder();
    private readonly HashSet<long> failing = [];

    public void Dispose() => place.Dispose();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory(Timeout = 60_000)]
    [InlineData(1, 4)]
    [InlineData(4, 1)]
    public async Task A_key_waits_until_none_of_its_parked_events_is_left(long first, long second)
    {
        var store = place.Open();
        failing.UnionWith([1, 4]);
        await using (store.StartReactions([new RecordingReaction(ReactionStart.Beginning, FailAsync, continues: true)], Quick()))
        {
            await AppendAsync(store, [.. Enumerable.Range(1, 3).Select(static _ => RecordingReaction.Placed("a"))]);
            await store.Reactions["recording"].WaitForAsync(3, Cancellation);
        }
        var next = NewReaction();
        await using (store.StartReactions([next], Quick()))
        {
            await AppendAsync(store, RecordingReaction.Placed("a"), RecordingReaction.Placed("a"));
            await store.Reactions["recording"].WaitForAsync(5, Cancellation);
            // By now it is one for which its key waits.
            await store.Reactions["recording"].RetryAsync(1, cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(5, Cancellation);
        }
        var last = NewReaction();
        await using (store.StartReactions([last], Quick()))
        {
            await store.Reactions["recording"].SkipAsync(first, "It is no mail.", cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(5, Cancellation);
            Assert.Empty(last.Handled);
            failing.Clear();
            await store.Reactions["recording"].RetryAsync(second, cancellationToken: Cancellation);
            await store.Reactions["recording"].WaitForAsync(5, Cancellation);
        }

        Assert.Empty(next.Handled);
        Assert.Equal([second, 5], last.Positions);
    }

    private static ReactionOptions Quick() => new()
    {
        RetryDelay = TimeSpan.Zero,
        MaxRetryAttempts = 0,
        TakeOverInterval = TimeSpan.FromMilliseconds(10),
        PollInterval = TimeSpan.FromMilliseconds(10),
    };

    private static Task<AppendResult> AppendAsync(FileSystemEventStore store, params NewEvent[] events) =>
        store.AppendAsync(events, cancellationToken: Cancellation);

    private RecordingReaction NewReaction() => new(ReactionStart.Beginning, FailAsync);

    private Task FailAsync(ReactionContext context, CancellationToken cancellationToken) => failing.Contains(context.Event.Position)
        ? throw new InvalidOperationException($"No mail server for {context.Event.Position}.")
        : Task.CompletedTask;
}
