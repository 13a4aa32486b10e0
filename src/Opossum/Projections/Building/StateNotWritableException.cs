namespace Opossum.Projections.Building;

/// <summary>A state cannot be made JSON, or given its tags.</summary>
internal sealed class StateNotWritableException(string key, long position, string eventType, Exception cause)
    : Exception($"The state of the key {NameRules.Quote(key)} cannot be written: {cause.GetType().Name}: {cause.Message}", cause)
{
    /// <summary>The position of the last event that counts in it.</summary>
    public long Position { get; } = position;

    /// <summary>That event's type.</summary>
    public string EventType { get; } = eventType;
}
