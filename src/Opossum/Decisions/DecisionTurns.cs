using System.Runtime.CompilerServices;

namespace Opossum.Decisions;

/// <summary>
/// The turns of those who decide on the same events through one store object, first come, first served. There is one turn for each item of a
/// query that somebody had a conflict over. A turn spares further conflicts and guards nothing, which the append condition does.
/// </summary>
internal sealed class DecisionTurns
{
    private static readonly ConditionalWeakTable<IEventStore, DecisionTurns> ofStores = [];

    private readonly Lock gate = new();

    // A key is there from when its turn is taken until nobody has it or waits for it.
    private readonly Dictionary<string, LinkedList<TaskCompletionSource>> lines = new(StringComparer.Ordinal);

    /// <summary>How many turns are taken.</summary>
    public int Taken
    {
        get
        {
            lock (gate)
                return lines.Count;
        }
    }

    public static DecisionTurns Of(IEventStore store) => ofStores.GetValue(store, static _ => new DecisionTurns());

    /// <summary>An item's canonical text. Items of one meaning have one; that two others have the same costs a needless wait and nothing else.</summary>
    public static string KeyOf(QueryItem item) =>
        string.Join('\n', item.EventTypes.Order(StringComparer.Ordinal).Append("").Concat(item.Tags.Select(static tag => tag.ToString()).Order(StringComparer.Ordinal)));

    /// <summary>The first item of a query whose turn is taken; null: none is.</summary>
    public string? FindTaken(Query query)
    {
        var keys = query.Items.Select(KeyOf).ToList();
        lock (gate)
            return keys.Find(lines.ContainsKey);
    }

    /// <summary>Takes the turn, or a place in the line for it.</summary>
    /// <returns>The place, whose task completes with the turn; null: it was free, and is taken.</returns>
    public LinkedListNode<TaskCompletionSource>? Take(string key)
    {
        lock (gate)
            return lines.TryAdd(key, []) ? null : lines[key].AddLast(new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
    }

    /// <summary>Gives a place in a line up; false: its turn has come.</summary>
    public bool TryLeave(LinkedListNode<TaskCompletionSource> place)
    {
        lock (gate)
        {
            place.List?.Remove(place);
            return !place.Value.Task.IsCompleted;
        }
    }

    /// <summary>Passes a turn on to whoever has waited longest.</summary>
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
