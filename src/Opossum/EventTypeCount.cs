namespace Opossum;

/// <summary>How many events of a type a store holds.</summary>
/// <param name="EventType">The type's name.</param>
/// <param name="Events">How many events have it.</param>
public readonly record struct EventTypeCount(string EventType, long Events);
