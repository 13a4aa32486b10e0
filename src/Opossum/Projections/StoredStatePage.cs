namespace Opossum;

/// <summary>Some states of a projection, in the order of their keys.</summary>
public sealed record StoredStatePage
{
    /// <summary>
    /// The states as they are stored, as JSON without insignificant white space: personal values are encrypted. There can be none although there is a
    /// next page, where many states were deleted.
    /// </summary>
    public required IReadOnlyList<ProjectionEntry<byte[]>> States { get; init; }

    /// <summary>Where the next page starts; null: this is the last page. Its content has no meaning.</summary>
    public required string? Next { get; init; }
}
