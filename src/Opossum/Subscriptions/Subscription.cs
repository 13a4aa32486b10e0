using System.Runtime.CompilerServices;

namespace Opossum.Subscriptions;

/// <summary>Reads a store continuously: each read starts after the head of the previous read, so no event is skipped or returned twice.</summary>
internal static class Subscription
{
    public static async IAsyncEnumerable<SequencedEvent> FollowAsync(IEventStore store, HeadWatch watch, Query query, long after,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var follower = watch.Followers.Add();
        // The read starts at the next position, which must not overflow.
        var covered = Math.Min(after, long.MaxValue - 1);
        while (true)
        {
            var events = store.ReadAsync(query, new ReadOptions { After = covered }, cancellationToken);
            await foreach (var e in events.ConfigureAwait(false))
                yield return e;
            // Events that did not match are covered too, or each read would search them again. The head may be lower than the requested position.
            covered = Math.Max(covered, events.Head);
            follower.Covered = covered;
            await watch.WaitBeyondAsync(covered, cancellationToken).ConfigureAwait(false);
        }
    }
}
