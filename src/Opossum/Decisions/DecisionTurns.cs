using System.Runtime.CompilerServices;

namespace Opossum.Decisions;

/// <summary>
/// The turns of decisions on the same events through one store object, first come, first served. There is one turn for each query item that
/// caused a conflict. A turn avoids further conflicts; it guards nothing, because the append condition does.
/// </summary>
internal sealed class DecisionTurns
{
    private static readonly ConditionalWeakTable<IEventStore, DecisionTurns> ofStores = [];

    private readonly Lock gate = new();

    // A key exists from the moment its turn is taken until no decision has it or waits for it.
    private readonly Dictionary<string, LinkedList<TaskCompletionSource>> lines = new(StringComparer.Ordinal);

    public int Taken
    {
        get
        {
            lock (gate)
                return lines.Count;
        }
    }

    public static DecisionTurns Of(IEventStore store) => ofStores.GetValue(store, static _ => new DecisionTurns());

    /// <summary>
    /// An item's canonical text. Items with the same meaning have the same text; if different items share a text, the cost is an unneeded wait.
    /// </summary>
    public static string KeyOf(QueryItem item) =>
        string.Join('\n',
            item.Types.Order(
                StringComparer.Ordinal).Append("").Concat(item.Tags.Select(static tag => tag.Text).Order(StringComparer.Ordinal)));

    /// <summary>The first item of a query whose turn is taken; null if none is.</summary>
    public string? FindTaken(Query query)
    {
        var keys = query.Items.Select(KeyOf).ToList();
        lock (gate)
            return keys.Find(lines.ContainsKey);
    }

    /// <summary>Takes the turn, or a place in the queue for it.</summary>
    /// <returns>The place, whose task completes when the turn arrives; null: the turn was free and is now taken.</returns>
    public LinkedListNode<TaskCompletionSource>? Take(string key)
    {
        lock (gate)
            return lines.TryAdd(key, []) ? null : lines[key].AddLast(new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
    }

    /// <summary>Gives up a place in a queue; false: the turn has already arrived.</summary>
    public bool TryLeave(LinkedListNode<TaskCompletionSource> place)
    {
        lock (gate)
        {
            place.List?.Remove(place);
            return !place.Value.Task.IsCompleted;
        }
    }

    /// <summary>Passes a turn to the decision that has waited longest.</summary>
    public void PassOn(string key)
    {
        lock (gate)
        {
            var line = lines[key];
            if (line.First is { } next)
            {
                line.Remove(next);
                next.Value.SetResult();
            }
            else
            {
                lines.Remove(key);
            }
        }
    }
}
