namespace Opossum;

/// <summary>One alternative of a <see cref="Query"/>: the events of any of these types that carry all of these tags.</summary>
public sealed class QueryItem
{
    private readonly string[] eventTypes = [];
    private readonly Tag[] tags = [];

    /// <summary>The event types, of which the event must have one. Empty, the default: any type.</summary>
    /// <exception cref="ArgumentException">A type is empty, too long or not valid Unicode.</exception>
    public IReadOnlyList<string> Types
    {
        get => eventTypes;
        init
        {
            ArgumentNullException.ThrowIfNull(value, nameof(Types));
            eventTypes = [.. value.Distinct(StringComparer.Ordinal)];
            foreach (var type in eventTypes)
                NameRules.CheckEventType(type, nameof(Types));
        }
    }

    /// <summary>The tags, all of which the event must carry; it may carry more. Empty, the default: any tags.</summary>
    /// <exception cref="ArgumentException">A tag is <c>default(Tag)</c>.</exception>
    public IReadOnlyList<Tag> Tags
    {
        get => tags;
        init
        {
            ArgumentNullException.ThrowIfNull(value, nameof(Tags));
            tags = Tag.Distinct([.. value]);
            foreach (var tag in tags)
            {
                if (tag.Key is null)
                {
                    throw new ArgumentException("A tag of the query item is default(Tag), without key and value; make tags with new Tag(key, value).",
                        nameof(Tags));
                }
            }
        }
    }

    /// <summary>
    /// The CLR types of some of the event types: the caller expects objects of these types, so they must be registered with the store.
    /// </summary>
    internal Type[] ClrTypes { get; init; } = [];

    internal ReadOnlySpan<string> EventTypeSpan => eventTypes;

    internal ReadOnlySpan<Tag> TagSpan => tags;

    /// <summary>The item in words, for messages; a long item shows its first types and tags and the number of the others.</summary>
    public override string ToString() => (eventTypes.Length, tags.Length) switch
    {
        (0, _) => $"({NameRules.JoinBriefly(" and ", tags)})",
        (_, 0) => $"({NameRules.JoinBriefly(" or ", eventTypes)})",
        _ => $"({NameRules.JoinBriefly(" or ", eventTypes)} with {NameRules.JoinBriefly(" and ", tags)})",
    };

    /// <inheritdoc cref="Query.HasPseudonyms"/>
    internal bool HasPseudonyms => Tag.HasPseudonym(tags);

    /// <summary>The same item with other tags.</summary>
    internal QueryItem WithTags(Func<Tag, Tag> replace) => new() { Types = eventTypes, Tags = [.. tags.Select(replace)], ClrTypes = ClrTypes };

    internal bool Matches(SequencedEvent e)
    {
        if (eventTypes.Length > 0 && !eventTypes.AsSpan().Contains(e.Type))
            return false;
        foreach (var tag in tags)
        {
            if (!e.Has(tag))
                return false;
        }
        return true;
    }

    internal bool Matches(string eventType, IReadOnlyList<Tag> eventTags)
    {
        if (eventTypes.Length > 0 && !eventTypes.AsSpan().Contains(eventType))
            return false;
        foreach (var tag in tags)
        {
            if (!eventTags.Contains(tag))
                return false;
        }
        return true;
    }
}
