using System.Runtime.CompilerServices;

namespace Opossum.Cli.Events;

/// <summary>Reads selected events of a store.</summary>
internal static class EventReading
{
    /// <summary>Reads the selected events in order.</summary>
    public static async IAsyncEnumerable<SequencedEvent> ForwardsAsync(IEventStore store, EventSelection selection, long after, long? upTo,
        long? limit, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var options = new ReadOptions { After = after, UpTo = upTo, Limit = selection.IsQueryAlone ? limit : null };
        var left = limit ?? long.MaxValue;
        if (left == 0)
            yield break;
        await foreach (var read in store.ReadAsync(selection.Query, options, cancellationToken).ConfigureAwait(false))
        {
            if (!selection.Includes(read))
                continue;
            yield return read;
            if (--left == 0)
                yield break;
        }
    }

    /// <summary>Reads the last selected events, in order.</summary>
    public static async IAsyncEnumerable<SequencedEvent> LastAsync(IEventStore store, EventSelection selection, long after, long? upTo, long number,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var found = new List<SequencedEvent>();
        var options = new ReadOptions { After = after, UpTo = upTo, Backwards = true };
        if (number > 0)
        {
            await foreach (var read in store.ReadAsync(selection.Query, options, cancellationToken).ConfigureAwait(false))
            {
                if (selection.Includes(read))
                    found.Add(read);
                if (found.Count == number)
                    break;
            }
        }
        for (var at = found.Count - 1; at >= 0; at--)
            yield return found[at];
    }
}
