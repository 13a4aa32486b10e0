namespace Opossum;

/// <summary>The number of events of one type in a store.</summary>
/// <param name="EventType">The type's name.</param>
/// <param name="Events">The number of events of this type.</param>
public readonly record struct EventTypeCount(string EventType, long Events);
