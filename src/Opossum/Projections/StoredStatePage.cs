namespace Opossum;

/// <summary>Some states of a projection, in the order of their keys.</summary>
/// <param name="States">The states. There can be none although there is a next page, where many states were deleted.</param>
/// <param name="Next">Where the next page starts; null: this is the last page. Its content has no meaning.</param>
public sealed record StoredStatePage(IReadOnlyList<StoredProjectionState> States, string? Next);
