namespace Opossum;

/// <summary>Selects events: those that match any of the query's items, or all events.</summary>
/// <remarks>
/// The meaning is that of the DCB specification (https://dcb.events/specification): items are joined by OR; within an item the
/// event types are joined by OR and the tags by AND. <see cref="Matches(SequencedEvent)"/> is the definition.
/// </remarks>
/// <example><code>
/// var query = Query.For&lt;CourseDefined&gt;(Tag.From("course", courseId))
///     .Or(Query.For&lt;StudentSubscribed, StudentLeft&gt;(Tag.From("student", studentId)));
/// var byName = Query.FromItems(new QueryItem { Types = ["course-defined"], Tags = [new Tag("course", "c1")] });
/// </code></example>
public sealed class Query
{
    private readonly QueryItem[] items;

    private Query(QueryItem[] items) => this.items = items;

    /// <summary>The query that matches every event.</summary>
    public static Query All { get; } = new([]);

    /// <summary>The items: at least one; empty only for <see cref="All"/>.</summary>
    public IReadOnlyList<QueryItem> Items => items;

    /// <summary>Whether this is <see cref="All"/>.</summary>
    public bool IsAll => items.Length == 0;

    internal ReadOnlySpan<QueryItem> ItemSpan => items;

    /// <summary>Whether a tag is a pseudonym, which the store must replace.</summary>
    internal bool HasPseudonyms
    {
        get
        {
            foreach (var item in items)
            {
                if (item.HasPseudonyms)
                    return true;
            }
            return false;
        }
    }

    /// <summary>Creates a query that matches the events that match at least one of the items.</summary>
    /// <param name="items">At least one item.</param>
    /// <exception cref="ArgumentNullException"><paramref name="items"/> or one of them is null.</exception>
    /// <exception cref="ArgumentException">
    /// There are no items, or an item has neither event types nor tags; to match every event use <see cref="All"/>.
    /// </exception>
    public static Query FromItems(params QueryItem[] items)
    {
        ArgumentNullException.ThrowIfNull(items);
        var list = items.ToArray();
        if (list.Length == 0)
            throw new ArgumentException("A query needs at least one item; to match every event use Query.All.", nameof(items));
        for (var at = 0; at < list.Length; at++)
        {
            if (list[at] is null)
                throw new ArgumentNullException(nameof(items), $"Item {at} of the query is null.");
            if (list[at].Types.Count == 0 && list[at].Tags.Count == 0)
            {
                throw new ArgumentException($"Item {at} of the query has neither event types nor tags; to match every event use Query.All.",
                    nameof(items));
            }
        }
        return new Query(list);
    }

    /// <summary>Creates a query that matches the events of any type that carry all of the tags.</summary>
    /// <param name="tags">At least one tag.</param>
    /// <exception cref="ArgumentException">There are no tags, or one of them is <c>default(Tag)</c>.</exception>
    public static Query FromTags(params Tag[] tags)
    {
        ArgumentNullException.ThrowIfNull(tags);
        return FromItems(new QueryItem { Tags = tags.ToArray() });
    }

    /// <summary>Creates a query that matches the events of any of the types, whatever their tags.</summary>
    /// <param name="eventTypes">At least one type name, as given by <see cref="EventTypeAttribute"/>.</param>
    /// <exception cref="ArgumentException">There are no types, or one of them is empty, too long or not valid Unicode.</exception>
    public static Query FromEventTypes(params string[] eventTypes)
    {
        ArgumentNullException.ThrowIfNull(eventTypes);
        return FromItems(new QueryItem { Types = [.. eventTypes] });
    }

    /// <summary>Creates a query that matches the events of a CLR type that carry all of the tags.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>. A store where the type is not registered refuses the query.</typeparam>
    /// <param name="tags">The tags. None: events with any tags match.</param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or a tag is <c>default(Tag)</c>.</exception>
    public static Query For<TEvent>(params Tag[] tags)
        where TEvent : notnull => OfTypes(tags, typeof(TEvent));

    /// <summary>Creates a query that matches the events of two CLR types that carry all of the tags.</summary>
    /// <typeparam name="TFirst">A type with <see cref="EventTypeAttribute"/>. A store where the type is not registered refuses the query.</typeparam>
    /// <typeparam name="TSecond">A second type.</typeparam>
    /// <param name="tags">The tags. None: events with any tags match.</param>
    /// <exception cref="ArgumentException">A type has no <see cref="EventTypeAttribute"/>, or a tag is <c>default(Tag)</c>.</exception>
    public static Query For<TFirst, TSecond>(params Tag[] tags)
        where TFirst : notnull
        where TSecond : notnull => OfTypes(tags, typeof(TFirst), typeof(TSecond));

    /// <summary>Creates a query that matches the events of three CLR types that carry all of the tags; for more types use <see cref="Or"/>.</summary>
    /// <typeparam name="TFirst">A type with <see cref="EventTypeAttribute"/>. A store where the type is not registered refuses the query.</typeparam>
    /// <typeparam name="TSecond">A second type.</typeparam>
    /// <typeparam name="TThird">A third type.</typeparam>
    /// <param name="tags">The tags. None: events with any tags match.</param>
    /// <exception cref="ArgumentException">A type has no <see cref="EventTypeAttribute"/>, or a tag is <c>default(Tag)</c>.</exception>
    public static Query For<TFirst, TSecond, TThird>(params Tag[] tags)
        where TFirst : notnull
        where TSecond : notnull
        where TThird : notnull => OfTypes(tags, typeof(TFirst), typeof(TSecond), typeof(TThird));

    /// <summary>Creates a query that matches the events that match this query, the other query, or both.</summary>
    /// <param name="other">The other query.</param>
    /// <returns>A query with the items of both; <see cref="All"/> if either query is <see cref="All"/>.</returns>
    public Query Or(Query other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return IsAll || other.IsAll ? All : new Query([.. items, .. other.items]);
    }

    /// <summary>Reports whether an event matches. This method defines what a query means; every index agrees with it.</summary>
    /// <param name="sequencedEvent">An event of a store.</param>
    public bool Matches(SequencedEvent sequencedEvent)
    {
        ArgumentNullException.ThrowIfNull(sequencedEvent);
        if (IsAll)
            return true;
        foreach (var item in items)
        {
            if (item.Matches(sequencedEvent))
                return true;
        }
        return false;
    }

    /// <summary>Reports whether an event with this type and these tags matches.</summary>
    /// <param name="eventType">The event's type name.</param>
    /// <param name="tags">The event's tags, in any order.</param>
    public bool Matches(string eventType, IReadOnlyList<Tag> tags)
    {
        ArgumentNullException.ThrowIfNull(eventType);
        ArgumentNullException.ThrowIfNull(tags);
        if (IsAll)
            return true;
        foreach (var item in items)
        {
            if (item.Matches(eventType, tags))
                return true;
        }
        return false;
    }

    /// <summary>The same query with other tags.</summary>
    internal Query WithTags(Func<Tag, Tag> replace) => new(Array.ConvertAll(items, item => item.WithTags(replace)));

    /// <summary>The query in words, for messages; a long query shows its first items and the number of the others.</summary>
    public override string ToString() => IsAll ? "all events" : NameRules.JoinBriefly(" or ", items);

    private static Query OfTypes(IEnumerable<Tag> tags, params Type[] clrTypes)
    {
        ArgumentNullException.ThrowIfNull(tags);
        var names =
            clrTypes.Select(type => NameRules.EventTypeOf(type,
                "query its events by name: Query.FromItems(new QueryItem { Types = [\"...\"] })."));
        return new Query([new QueryItem { Types = [.. names], Tags = [.. tags], ClrTypes = clrTypes }]);
    }
}
