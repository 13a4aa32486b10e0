namespace Opossum.Decisions;

/// <summary>The events that one projection wants while a decision model is built, and what it does with each.</summary>
/// <param name="Item">Which events.</param>
/// <param name="LastEventOnly">Whether it wants the last of them only.</param>
/// <param name="Apply">Takes in an event that matches.</param>
internal sealed record DecisionFold(QueryItem Item, bool LastEventOnly, Action<SequencedEvent> Apply)
{
    /// <summary>The events that any of the folds wants. Those over the same tags share an item: the fewer items, the less there is to find and to judge.</summary>
    public static Query QueryOf(IEnumerable<DecisionFold> folds)
    {
        var items = new List<QueryItem>();
        foreach (var wanted in folds.Select(fold => fold.Item))
        {
            var same = items.FindIndex(item => item.Tags.Count == wanted.Tags.Count && item.Tags.All(wanted.Tags.Contains));
            if (same < 0)
                items.Add(wanted);
            else
                items[same] = new QueryItem { EventTypes = [.. items[same].EventTypes, .. wanted.EventTypes], Tags = wanted.Tags, ClrTypes = [.. items[same].ClrTypes, .. wanted.ClrTypes] };
        }
        return Query.FromItems(items);
    }
}
