namespace Opossum.Decisions;

/// <summary>The events that one projection needs while a decision model is built, and what it does with each.</summary>
/// <param name="LastEventOnly">Whether it needs only the last of them.</param>
internal sealed record DecisionFold(QueryItem Item, bool LastEventOnly, Action<SequencedEvent> Apply)
{
    /// <summary>The query for the events of all folds. Folds with the same tags share an item: fewer items are faster to read and to check.</summary>
    public static Query QueryOf(IEnumerable<DecisionFold> folds)
    {
        var items = new List<QueryItem>();
        foreach (var wanted in folds.Select(fold => fold.Item))
        {
            var same = items.FindIndex(item => item.Tags.Count == wanted.Tags.Count && item.Tags.All(wanted.Tags.Contains));
            if (same < 0)
            {
                items.Add(wanted);
            }
            else
            {
                items[same] =
                    new QueryItem
                    {
                        Types = [.. items[same].Types, .. wanted.Types],
                        Tags = wanted.Tags,
                        ClrTypes = [.. items[same].ClrTypes, .. wanted.ClrTypes]
                    };
            }
        }
        return Query.FromItems([.. items]);
    }
}
