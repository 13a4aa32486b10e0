namespace Opossum.Projections.Building;

/// <summary>A state cannot be serialized, or its tags cannot be determined.</summary>
internal sealed class StateNotWritableException(string key, long position, string eventType, Exception cause)
    : Exception($"The state of the key {NameRules.Quote(key)} cannot be written: {cause.GetType().Name}: {cause.Message}", cause)
{
    /// <summary>The position of the last event applied to it.</summary>
    public long Position { get; } = position;

    public string EventType { get; } = eventType;
}
