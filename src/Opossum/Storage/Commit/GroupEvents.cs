using Opossum.Storage.Definitions;
using Opossum.Storage.Index;

namespace Opossum.Storage.Commit;

/// <summary>The accepted events of a group that is not stored yet: later conditions see them too.</summary>
internal sealed class GroupEvents
{
    private readonly List<StoredEvent> events = [];
    private HashSet<Tag>? tags;
    private HashSet<string>? types;
    private int noted;

    /// <summary>The rules that give tags besides the events' own.</summary>
    public TagRuleSet Rules { get; set; } = TagRuleSet.None;

    public IReadOnlyList<StoredEvent> All => events;

    public void Add(StoredEvent accepted) => events.Add(accepted);

    public void Clear()
    {
        events.Clear();
        tags?.Clear();
        types?.Clear();
        noted = 0;
    }

    public StoredEvent? At(long position) =>
        events.Count > 0 && position >= events[0].Position && position <= events[^1].Position ? events[(int)(position - events[0].Position)] : null;

    /// <summary>
    /// The lowest position after <paramref name="after"/> that the query matches; <see cref="PositionCursor.None"/> when there is none.
    /// </summary>
    public long FirstMatch(Query query, long after)
    {
        if (events.Count == 0)
            return PositionCursor.None;
        NoteNames();
        if (!query.IsAll && !AnyItemIsPossible(query))
            return PositionCursor.None;
        foreach (var each in events)
        {
            if (each.Position > after && query.Matches(each.Content.Type, Rules.TagsOf(each.Content)))
                return each.Position;
        }
        return PositionCursor.None;
    }

    private bool AnyItemIsPossible(Query query)
    {
        foreach (var item in query.ItemSpan)
        {
            if (IsPossible(item))
                return true;
        }
        return false;
    }

    private bool IsPossible(QueryItem item)
    {
        foreach (var tag in item.TagSpan)
        {
            if (!tags!.Contains(tag))
                return false;
        }
        if (item.EventTypeSpan.Length == 0)
            return true;
        foreach (var type in item.EventTypeSpan)
        {
            if (types!.Contains(type))
                return true;
        }
        return false;
    }

    // Runs only when a condition needs it: most groups have none that does.
    private void NoteNames()
    {
        tags ??= [];
        types ??= new HashSet<string>(StringComparer.Ordinal);
        for (; noted < events.Count; noted++)
        {
            types.Add(events[noted].Content.Type);
            foreach (var tag in Rules.TagsOf(events[noted].Content))
                tags.Add(tag);
        }
    }
}
