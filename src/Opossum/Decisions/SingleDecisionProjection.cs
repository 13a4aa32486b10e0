using System.Globalization;
using Opossum.Decisions;

namespace Opossum;

/// <summary>
/// A decision projection with its own handlers: an initial state, a handler for each event type that changes it, and the tags of the events.
/// </summary>
/// <typeparam name="TState">The type of the state; it must be immutable.</typeparam>
/// <remarks>
/// Immutable: <c>On</c> and <see cref="LastEventOnly"/> return a new projection. The handlers and the tags determine which events are read.
/// </remarks>
/// <example><code>
/// static DecisionProjection&lt;int&gt; NextInvoiceNumber() =>
///     DecisionProjection.Create(1).On&lt;InvoiceCreated&gt;((_, invoice) => invoice.Number + 1).LastEventOnly();
/// </code></example>
public sealed class SingleDecisionProjection<TState> : DecisionProjection<TState>
{
    private readonly TState initialState;
    private readonly QueryItem item;
    private readonly Dictionary<string, Func<TState, SequencedEvent, TState>> handlers;
    private readonly bool lastEventOnly;

    internal SingleDecisionProjection(TState initialState, QueryItem tags)
        : this(initialState, tags, new Dictionary<string, Func<TState, SequencedEvent, TState>>(StringComparer.Ordinal), lastEventOnly: false)
    {
    }

    private SingleDecisionProjection(TState initialState, QueryItem item, Dictionary<string, Func<TState, SequencedEvent, TState>> handlers,
        bool lastEventOnly)
    {
        this.initialState = initialState;
        this.item = item;
        this.handlers = handlers;
        this.lastEventOnly = lastEventOnly;
    }

    /// <summary>Adds a handler for the events of a CLR type.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store that is read.</typeparam>
    /// <param name="apply">Returns the next state, from the state and the event's data.</param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or already has a handler.</exception>
    public SingleDecisionProjection<TState> On<TEvent>(Func<TState, TEvent, TState> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(apply);
        return On(NameOf<TEvent>(), (state, e) => apply(state, DataOf<TEvent>(e)), typeof(TEvent));
    }

    /// <summary>Adds a handler for the events of a CLR type that also receives the envelope: time, tags, metadata, position.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store that is read.</typeparam>
    /// <param name="apply">Returns the next state, from the state, the event's data and the event.</param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or already has a handler.</exception>
    public SingleDecisionProjection<TState> On<TEvent>(Func<TState, TEvent, SequencedEvent, TState> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(apply);
        return On(NameOf<TEvent>(), (state, e) => apply(state, DataOf<TEvent>(e), e), typeof(TEvent));
    }

    /// <summary>
    /// Adds a handler for the events of a type by its name: for types without a CLR type, or whose CLR type has no <see cref="EventTypeAttribute"/>.
    /// </summary>
    /// <param name="eventType">The type's name.</param>
    /// <param name="apply">Returns the next state, from the state and the event.</param>
    /// <exception cref="ArgumentException">The name is not allowed, or already has a handler.</exception>
    public SingleDecisionProjection<TState> On(string eventType, Func<TState, SequencedEvent, TState> apply)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        ArgumentNullException.ThrowIfNull(apply);
        return On(eventType, apply, clrType: null);
    }

    /// <summary>
    /// Builds the state from the last matching event alone: of all events that the handlers and the tags select, only the last is read and
    /// handled. The append condition stays the same.
    /// </summary>
    public SingleDecisionProjection<TState> LastEventOnly() => new(initialState, item, handlers, lastEventOnly: true);

    internal override Func<TState> Begin(List<DecisionFold> folds)
    {
        if (handlers.Count == 0)
        {
            throw new InvalidOperationException("A decision projection has no handlers; add one with On<TEvent>(...) for each event type that "
                + "changes its state.");
        }

        var state = initialState;
        folds.Add(new DecisionFold(item, lastEventOnly, e => state = handlers[e.Type](state, e)));
        return () => state;
    }

    private SingleDecisionProjection<TState> On(string eventType, Func<TState, SequencedEvent, TState> apply, Type? clrType)
    {
        var more = new Dictionary<string, Func<TState, SequencedEvent, TState>>(handlers, StringComparer.Ordinal);
        if (!more.TryAdd(eventType, apply))
            throw new ArgumentException($"The decision projection already has a handler for {NameRules.Quote(eventType)}.", nameof(eventType));
        var query =
            new QueryItem { Types = [.. more.Keys], Tags = item.Tags, ClrTypes = clrType is null ? item.ClrTypes : [.. item.ClrTypes, clrType] };
        return new SingleDecisionProjection<TState>(initialState, query, more, lastEventOnly);
    }

    private static string NameOf<TEvent>() => NameRules.EventTypeOf(typeof(TEvent), "handle its events by name: On(\"...\", (state, e) => ...).");

    private static TEvent DataOf<TEvent>(SequencedEvent e) => e.Data is TEvent data
        ? data
        : throw new EventDataException(e.Type, e.Position, string.Create(CultureInfo.InvariantCulture,
            $"The event at position {e.Position}, of type {NameRules.Quote(e.Type)}, has a handler for {typeof(TEvent)}, "
            + $"but its data is {e.Data?.GetType().ToString() ?? "JSON null"}. Handle the CLR type that is registered under that name, or handle "
            + $"the events by name: On({NameRules.Quote(e.Type)}, (state, e) => ...)."));
}
