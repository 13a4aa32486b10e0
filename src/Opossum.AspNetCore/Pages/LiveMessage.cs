namespace Opossum.AspNetCore.Pages;

/// <summary>New events for a page.</summary>
/// <param name="More">Whether there were more new events than these.</param>
/// <param name="Events">The newest events, the newest first.</param>
internal sealed record LiveMessage(bool More, IReadOnlyList<LiveRow> Events);
