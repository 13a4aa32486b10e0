using System.Text.Json;

namespace Opossum.Tests.Properties;

/// <summary>What a store means, as a list: slow and plain.</summary>
internal sealed class ListModel
{
    private readonly List<Stored> events = [];

    public sealed record Stored(NewEvent Event, long Position, NewEvent[] Append, long First);

    /// <summary>Positions of an append that was made, now or before; or the position that stood in its way.</summary>
    public readonly record struct Outcome(AppendResult? Result, long Conflict, long Head);

    /// <summary>The rules that give tags.</summary>
    public SortedDictionary<string, TagRule> Rules { get; } = new(StringComparer.Ordinal);

    public long Head => events.Count;

    public IReadOnlyList<Stored> Events => events;

    public Outcome Append(NewEvent[] append, AppendCondition? condition)
    {
        if (condition is not null
            && events.Find(e => e.Position > (condition.After ?? 0) && Matches(condition.FailIfEventsMatch, e.Event)) is { } conflict)
        {
            return conflict.Append.SequenceEqual(append)
                ? new Outcome(new AppendResult
                {
                    FirstPosition = conflict.First,
                    LastPosition = conflict.First + append.Length - 1,
                }, 0, Head)
                : new Outcome(null, conflict.Position, Head);
        }
        var first = Head + 1;
        foreach (var e in append)
            events.Add(new Stored(e, Head + 1, append, first));
        return new Outcome(new AppendResult { FirstPosition = first, LastPosition = Head }, 0, Head);
    }

    public List<Stored> Read(Query query, ReadOptions options)
    {
        var matching = events.Where(e => Matches(query, e.Event) && e.Position > options.After && e.Position <= (options.UpTo ?? long.MaxValue));
        if (options.Backwards)
            matching = matching.Reverse();
        return [.. matching.Take((int)Math.Min(options.Limit ?? int.MaxValue, int.MaxValue))];
    }

    /// <summary>The event's tags, and those of the rules in their order.</summary>
    public List<Tag> TagsOf(NewEvent e)
    {
        var json = JsonElement.Parse(e.Json.Span);
        var given = from rule in Rules.Values
                    where rule.EventType == e.Type
                    from value in rule.Member.EndsWith("[]", StringComparison.Ordinal)
                        ? json.GetProperty(rule.Member[..^2]).EnumerateArray().Select(static each => each.GetString()!)
                        : [json.GetProperty(rule.Member).GetRawText()]
                    select new Tag(rule.Key, value);
        return [.. e.Tags.Concat(given).Distinct()];
    }

    // The meaning of a query once more, in the words of the specification.
    public bool Matches(Query query, NewEvent e) => TagsOf(e) is var tags && (query.IsAll || query.Items.Any(item =>
        (item.Types.Count == 0 || item.Types.Any(type => type == e.Type)) && item.Tags.All(tags.Contains)));
}
