using Opossum.Maintenance;

namespace Opossum;

/// <summary>
/// An event that has personal data of a person in plain: the registered class or path, or a schema of the store, says that the members are personal,
/// or they are encrypted in other events of its type.
/// </summary>
public sealed record PlainPersonalData
{
    /// <summary>The event's position.</summary>
    public required long Position { get; init; }

    /// <summary>The event's type.</summary>
    public required string EventType { get; init; }

    /// <summary>
    /// The paths of the members, as <see cref="StoreRepair.RedactAsync"/> takes them, which removes them.
    /// </summary>
    public required IReadOnlyList<string> Members { get; init; }
}
