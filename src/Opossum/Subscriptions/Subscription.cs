using System.Runtime.CompilerServices;

namespace Opossum.Subscriptions;

/// <summary>Reads a store on and on: each read begins behind the head that the read before was made at, so no event is skipped or comes twice.</summary>
internal static class Subscription
{
    public static async IAsyncEnumerable<SequencedEvent> FollowAsync(IEventStore store, HeadWatch watch, Query query, long after, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // The position behind it is asked for.
        var covered = Math.Min(after, long.MaxValue - 1);
        while (true)
        {
            var events = store.ReadAsync(query, new ReadOptions { From = covered + 1 }, cancellationToken);
            await foreach (var e in events.ConfigureAwait(false))
                yield return e;
            // Also what did not match is covered, or each read would search it again. The head may lie before what was asked for.
            covered = Math.Max(covered, events.Head);
            await watch.WaitBeyondAsync(covered, cancellationToken).ConfigureAwait(false);
        }
    }
}
