namespace Opossum;

/// <summary>The event types that a store knows: which name stands for which CLR type.</summary>
public sealed class EventTypeRegistry
{
}
