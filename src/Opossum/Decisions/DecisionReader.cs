namespace Opossum.Decisions;

/// <summary>Applies folds to the events of a store: one read for all of them, and one for each fold that needs only the last event.</summary>
internal static class DecisionReader
{
    /// <summary>Reads, and returns the condition that fails if an event that a fold needs was appended since.</summary>
    public static async ValueTask<AppendCondition> ReadAsync(IEventStore store, List<DecisionFold> folds, CancellationToken cancellationToken)
    {
        // Order matters: the first read finds the head and bounds the others, or the condition would miss an event.
        long? head = null;
        var whole = folds.FindAll(fold => !fold.LastEventOnly);
        if (whole.Count > 0)
            head = await FoldAsync(store, whole, ReadOptions.Default, cancellationToken).ConfigureAwait(false);
        foreach (var fold in folds.FindAll(fold => fold.LastEventOnly))
        {
            var found =
                await FoldAsync(store, [fold], new ReadOptions { UpTo = head, Backwards = true, Limit = 1 }, cancellationToken).ConfigureAwait(false);
            head ??= found;
        }
        return new AppendCondition(DecisionFold.QueryOf(folds), head) { IsOfDecision = true };
    }

    private static async ValueTask<long> FoldAsync(IEventStore store, List<DecisionFold> folds, ReadOptions options,
        CancellationToken cancellationToken)
    {
        var stream = store.ReadAsync(DecisionFold.QueryOf(folds), options, cancellationToken);
        await foreach (var e in stream.ConfigureAwait(false))
        {
            foreach (var fold in folds)
            {
                if (fold.Item.Matches(e))
                    fold.Apply(e);
            }
        }
        return stream.Head;
    }
}
