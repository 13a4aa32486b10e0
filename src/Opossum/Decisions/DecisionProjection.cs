using System.Collections.Immutable;
using System.Reflection;

namespace Opossum;

/// <summary>What a decision has to know, folded from events: an initial state, a handler for each event type that changes it, and the tags that the events carry.</summary>
/// <typeparam name="TState">The state; it should be immutable.</typeparam>
/// <remarks>
/// Immutable: <c>On</c> gives a new projection. The query follows from the handlers and the tags. See the examples of https://dcb.events
/// and docs/decision-models.md.
/// </remarks>
/// <example><code>
/// static DecisionProjection&lt;int&gt; Subscriptions(string course) =>
///     new DecisionProjection&lt;int&gt;(0, new Tag("course", course))
///         .On&lt;StudentSubscribed&gt;((count, _) => count + 1);
/// </code></example>
public sealed class DecisionProjection<TState>
{
    private readonly Tag[] tags;
    private readonly ImmutableDictionary<string, Func<TState, SequencedEvent, TState>> handlers;
    private readonly bool readsLastOnly;

    /// <summary>A projection without handlers yet.</summary>
    /// <param name="initialState">The state when there is no event.</param>
    /// <param name="tags">The tags that an event must carry, all of them, to count. None: any event of a handled type counts.</param>
    /// <exception cref="ArgumentException">A tag is <c>default(Tag)</c>.</exception>
    public DecisionProjection(TState initialState, params IEnumerable<Tag> tags)
        : this(initialState, new QueryItem { Tags = [.. tags] }.Tags.ToArray(), ImmutableDictionary.Create<string, Func<TState, SequencedEvent, TState>>(StringComparer.Ordinal), readsLastOnly: false)
    {
    }

    private DecisionProjection(TState initialState, Tag[] tags, ImmutableDictionary<string, Func<TState, SequencedEvent, TState>> handlers, bool readsLastOnly)
    {
        InitialState = initialState;
        this.tags = tags;
        this.handlers = handlers;
        this.readsLastOnly = readsLastOnly;
    }

    /// <summary>The state when there is no event.</summary>
    public TState InitialState { get; }

    /// <summary>The tags that an event must carry to count.</summary>
    public IReadOnlyList<Tag> Tags => tags;

    /// <summary>The names of the event types that have a handler.</summary>
    public IEnumerable<string> EventTypes => handlers.Keys;

    /// <summary>The events that count.</summary>
    /// <exception cref="InvalidOperationException">There is no handler yet.</exception>
    public Query Query => Query.FromItems(Item);

    internal bool ReadsLastOnly => readsLastOnly;

    internal QueryItem Item => handlers.Count > 0
        ? new QueryItem { EventTypes = [.. handlers.Keys.Order(StringComparer.Ordinal)], Tags = tags }
        : throw new InvalidOperationException("The decision projection has no handler; say with On<TEvent>(...) which events change its state.");

    /// <summary>Handles the events of a CLR type.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="apply">Gives the next state of the state and the event's data.</param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or a handler already.</exception>
    public DecisionProjection<TState> On<TEvent>(Func<TState, TEvent, TState> apply)
    {
        ArgumentNullException.ThrowIfNull(apply);
        return On(NameOf<TEvent>(), (state, e) => apply(state, (TEvent)e.Data!));
    }

    /// <summary>Handles the events of a CLR type, with their envelope: position, timestamp, tags, metadata.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="apply">Gives the next state of the state, the event's data, and the event.</param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or a handler already.</exception>
    public DecisionProjection<TState> On<TEvent>(Func<TState, TEvent, SequencedEvent, TState> apply)
    {
        ArgumentNullException.ThrowIfNull(apply);
        return On(NameOf<TEvent>(), (state, e) => apply(state, (TEvent)e.Data!, e));
    }

    /// <summary>Handles the events of a type by its name, without a CLR type.</summary>
    /// <param name="eventType">The type's name.</param>
    /// <param name="apply">Gives the next state of the state and the event.</param>
    /// <exception cref="ArgumentException">The name is not allowed, or has a handler already.</exception>
    public DecisionProjection<TState> On(string eventType, Func<TState, SequencedEvent, TState> apply)
    {
        Texts.CheckEventType(eventType, nameof(eventType));
        ArgumentNullException.ThrowIfNull(apply);
        if (handlers.ContainsKey(eventType))
            throw new ArgumentException($"The decision projection has a handler for {Texts.Quote(eventType)} already.", nameof(eventType));
        return new DecisionProjection<TState>(InitialState, tags, handlers.Add(eventType, apply), readsLastOnly);
    }

    /// <summary>
    /// Says that the last matching event alone determines the state, whatever the store's length: only that one is read. The append
    /// condition is the same. For the next invoice number, for instance.
    /// </summary>
    public DecisionProjection<TState> LastEventOnly() => new(InitialState, tags, handlers, readsLastOnly: true);

    internal TState Apply(TState state, SequencedEvent e) => handlers[e.Type](state, e);

    internal bool Matches(SequencedEvent e)
    {
        if (!handlers.ContainsKey(e.Type))
            return false;
        foreach (var tag in tags)
        {
            if (!e.Tags.Contains(tag))
                return false;
        }
        return true;
    }

    private static string NameOf<TEvent>() =>
        typeof(TEvent).GetCustomAttribute<EventTypeAttribute>()?.Name
        ?? throw new ArgumentException($"{typeof(TEvent)} has no [EventType(\"...\")]; give it one, or handle its events by name with On(\"...\", (state, e) => ...).");
}
