namespace Opossum.Following;

/// <summary>The handlers of a projection or a reaction, by event type. None can be added once its query was read.</summary>
/// <param name="owner">What they belong to, as the beginning of a sentence.</param>
internal sealed class EventHandlers<THandler>(string owner)
{
    private readonly Lock gate = new();
    private readonly Dictionary<string, THandler> handlers = new(StringComparer.Ordinal);
    private readonly List<Type> clrTypes = [];
    private Query? query;

    public THandler this[string eventType] => handlers[eventType];

    public bool Contains(string eventType) => handlers.ContainsKey(eventType);

    /// <summary>The query that selects the events of the handled types that have the tags.</summary>
    /// <param name="check">Throws if something else is missing.</param>
    /// <exception cref="InvalidOperationException">There is no handler.</exception>
    public Query GetQuery(IReadOnlyList<Tag> tags, Action check)
    {
        lock (gate)
        {
            if (handlers.Count == 0)
            {
                throw new InvalidOperationException($"{owner} has no handler; add one with On<TEvent>(...) in its constructor for each event type "
                    + "that it handles.");
            }
            check();
            return query ??= Query.FromItems(new QueryItem
            {
                Types = [.. handlers.Keys.Order(StringComparer.Ordinal)],
                Tags = tags,
                ClrTypes = [.. clrTypes]
            });
        }
    }

    /// <summary>Adds a handler of an event type.</summary>
    /// <exception cref="ArgumentException">The type has a handler.</exception>
    /// <exception cref="InvalidOperationException">The query was read.</exception>
    public void Add(string eventType, THandler handler, Type? clrType = null) => Change(() =>
    {
        if (!handlers.TryAdd(eventType, handler))
            throw new ArgumentException($"{owner} has two handlers for {NameRules.Quote(eventType)}; an event type has one.", nameof(eventType));
        clrTypes.AddRange(clrType is null ? [] : [clrType]);
    });

    /// <summary>Changes something else that belongs to the constructor.</summary>
    /// <exception cref="InvalidOperationException">The query was read.</exception>
    public void Change(Action change)
    {
        lock (gate)
        {
            if (query is not null)
                throw new InvalidOperationException($"{owner} is already in use; add handlers in its constructor.");
            change();
        }
    }
}
