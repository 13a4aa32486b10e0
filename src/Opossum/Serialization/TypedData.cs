namespace Opossum.Serialization;

/// <summary>The data of an event as the CLR type that a handler takes.</summary>
internal static class TypedData
{
    /// <exception cref="EventDataException">The data is JSON null, or the event's type is registered as another CLR type.</exception>
    public static TEvent Of<TEvent>(SequencedEvent e, string handler) => e.Data switch
    {
        TEvent data => data,
        null =>
            throw new EventDataException(e.Type, e.Position,
                $"The data of the event at position {e.Position}, of type {NameRules.Quote(e.Type)}, is JSON null, which cannot be converted to "
                    + $"{typeof(TEvent)}."),
        var other =>
            throw new EventDataException(e.Type, e.Position,
                $"The event type {NameRules.Quote(e.Type)} is registered as {other.GetType()}, but {handler} expects {typeof(TEvent)}."),
    };
}
