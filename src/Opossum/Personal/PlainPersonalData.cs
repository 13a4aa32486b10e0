namespace Opossum;

/// <summary>
/// An event that has personal data of a person in plain: the registered class or path says that the members are personal, or they are encrypted in
/// other events of its type.
/// </summary>
/// <param name="Position">The event's position.</param>
/// <param name="EventType">The event's type.</param>
/// <param name="Members">The paths of the members, as <see cref="StoreRepair.RedactAsync"/> takes them, which removes them.</param>
public sealed record PlainPersonalData(long Position, string EventType, IReadOnlyList<string> Members);
