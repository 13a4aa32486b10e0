namespace Opossum.AspNetCore.Pages;

/// <summary>A page of events, the newest first.</summary>
internal sealed record EventRows(long Head, IReadOnlyList<EventRow> Rows, bool HasOlder, bool HasNewer);
