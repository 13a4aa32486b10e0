namespace Opossum;

/// <summary>The number of events of one type in a store.</summary>
public readonly record struct EventTypeCount
{
    /// <summary>The type's name.</summary>
    public required string EventType { get; init; }

    /// <summary>The number of events of this type.</summary>
    public required long Events { get; init; }
}
