namespace Opossum.AspNetCore.Pages;

/// <summary>A page of events, the newest first.</summary>
internal sealed record EventRows(long Head, IReadOnlyList<EventRow> Rows, bool HasOlder, bool HasNewer)
{
    /// <summary>Whether the times were found by halving: events whose times are out of order may be missing, or be here.</summary>
    public bool IsHalved { get; init; }
}
