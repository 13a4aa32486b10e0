namespace Opossum.Decisions;

/// <summary>Reads the events that a decision rests on: one query for all projections together, and the last event alone where that is enough.</summary>
internal static class DecisionReader
{
    /// <summary>Folds the events into the projections' states and gives the condition that guards the decision.</summary>
    public static async ValueTask<AppendCondition> ReadAsync(IEventStore store, CancellationToken cancellationToken, params DecisionFold[] folds)
    {
        ArgumentNullException.ThrowIfNull(store);
        // Order matters: the head comes from the first read, and no later read goes beyond it, so that all states are of one moment.
        var whole = Array.FindAll(folds, static fold => !fold.ReadsLastOnly);
        var head = whole.Length > 0
            ? await ReadWholeAsync(store, whole, cancellationToken).ConfigureAwait(false)
            : await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        foreach (var fold in folds)
        {
            if (fold.ReadsLastOnly)
                await ReadLastAsync(store, fold, head, cancellationToken).ConfigureAwait(false);
        }
        return new AppendCondition(Query.FromItems(Merge(folds)), head);
    }

    private static async ValueTask<long> ReadWholeAsync(IEventStore store, DecisionFold[] folds, CancellationToken cancellationToken)
    {
        var stream = store.ReadAsync(Query.FromItems(Merge(folds)));
        await foreach (var e in stream.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            foreach (var fold in folds)
                fold.Apply(e);
        }
        return stream.Head;
    }

    private static async ValueTask ReadLastAsync(IEventStore store, DecisionFold fold, long head, CancellationToken cancellationToken)
    {
        var last = store.ReadAsync(Query.FromItems(fold.Item), new ReadOptions { From = head, Backwards = true, Limit = 1 });
        await foreach (var e in last.WithCancellation(cancellationToken).ConfigureAwait(false))
            fold.Apply(e);
    }

    // Projections over the same tags become one item: the fewer items, the less there is to find and to judge.
    private static IEnumerable<QueryItem> Merge(DecisionFold[] folds)
    {
        var merged = new List<(HashSet<Tag> Tags, HashSet<string> Types)>();
        foreach (var fold in folds)
        {
            var same = merged.Find(each => each.Tags.SetEquals(fold.Item.Tags));
            if (same.Tags is null)
                merged.Add(([.. fold.Item.Tags], new HashSet<string>(fold.Item.EventTypes, StringComparer.Ordinal)));
            else
                same.Types.UnionWith(fold.Item.EventTypes);
        }
        return merged.Select(static each => new QueryItem { EventTypes = [.. each.Types], Tags = [.. each.Tags] });
    }
}
