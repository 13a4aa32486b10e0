using System.Globalization;
using Microsoft.AspNetCore.Http;

namespace Opossum.AspNetCore.Pages;

/// <summary>Answers requests for the reactions of a store. They are only read.</summary>
internal static class ReactionRequests
{
    /// <summary>The name of the segment of the path.</summary>
    public const string Reaction = "reaction";

    public const string ParkedField = "parked";
    public const string ScheduledField = "due";
    public const string SkippedField = "skipped";

    private const int RowsMax = 20;

    public static async Task ListAsync(PageRequest page)
    {
        var health = await page.Shown.ReadHealthAsync(page.Cancelled).ConfigureAwait(false);
        var rows = await ReactionRows.ReadAsync(health.Reactions, page.Shown.Reactions, page.Cancelled).ConfigureAwait(false);
        await page.WriteAsync(ReactionsPage.Create(page, rows)).ConfigureAwait(false);
    }

    public static async Task ShowAsync(PageRequest page)
    {
        var name = (string)page.Http.Request.RouteValues[Reaction]!;
        if (page.Shown.Reactions is not { } reactions || await FindAsync(page, reactions, name).ConfigureAwait(false) is not { } row)
        {
            await page.WriteAsync(ErrorPage.Create(page, "No such reaction", $"No reaction {name} has begun in the store's folder."),
                StatusCodes.Status404NotFound).ConfigureAwait(false);
            return;
        }
        var query = page.Http.Request.Query;
        var place = new ReactionPlace(name, PositionOf(query[ParkedField]), query[ScheduledField].ToString(), PositionOf(query[SkippedField]));
        // One more than a page has: whether there is a next page.
        var parked = await reactions.ReadParkedAsync(name, place.Parked, RowsMax + 1, page.Cancelled).ConfigureAwait(false);
        var scheduled = await reactions.ReadScheduledAsync(name, place.Scheduled, RowsMax + 1, page.Cancelled).ConfigureAwait(false);
        var skipped = await reactions.ReadSkippedAsync(name, place.Skipped, RowsMax + 1, page.Cancelled).ConfigureAwait(false);
        await page.WriteAsync(ReactionPage.Create(page, row, place, Cut(parked), Cut(scheduled), Cut(skipped))).ConfigureAwait(false);
    }

    /// <summary>The path of a reaction, from the folder of the pages.</summary>
    public static string PathOf(string name) => $"reactions/{Uri.EscapeDataString(name)}";

    // Null: it has not begun, or cannot be read.
    private static async Task<ReactionRow?> FindAsync(PageRequest page, StoredReactions reactions, string name)
    {
        if (!(await reactions.ListAsync(page.Cancelled).ConfigureAwait(false)).Contains(name, StringComparer.Ordinal))
            return null;
        var health = await page.Shown.ReadHealthAsync(page.Cancelled).ConfigureAwait(false);
        var running = health.Reactions.FirstOrDefault(each => each.Name == name);
        var row = await ReactionRows.ReadAsync(reactions, name, running, page.Cancelled).ConfigureAwait(false);
        return row.Stored is null ? null : row;
    }

    private static ListPart<T> Cut<T>(IReadOnlyList<T> read) => new([.. read.Take(RowsMax)], HasNext: read.Count > RowsMax);

    // Whatever else the address says, the page begins with the first event.
    private static long PositionOf(string? text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var position) ? position : 0;
}
