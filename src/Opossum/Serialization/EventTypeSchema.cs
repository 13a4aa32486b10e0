namespace Opossum.Maintenance;

/// <summary>
/// What the JSON of one version of an event type looks like, as the app wrote it that was the first to append such an
/// event.
/// </summary>
public sealed record EventTypeSchema
{
    /// <summary>The event type's name.</summary>
    public required string EventType { get; init; }

    /// <summary>The version of the JSON shape, from 1.</summary>
    public required int Version { get; init; }

    /// <summary>The paths of the members, such as <c>lines[].article</c>.</summary>
    public required IReadOnlyList<string> Members { get; init; }

    /// <summary>The paths of those that are encrypted, because they are personal data.</summary>
    public required IReadOnlyList<string> PersonalMembers { get; init; }

    /// <summary>
    /// The JSON Schema, draft 2020-12; what keywords of its own mean is in docs/storage-format-of-features.md.
    /// </summary>
    public required string Json { get; init; }
}
