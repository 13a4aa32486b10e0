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

    public static async Task ListAsync(PageRequest page) =>
        await page.WriteAsync(ReactionsPage.Create(page, await ReadRowsAsync(page).ConfigureAwait(false))).ConfigureAwait(false);

    public static async Task ShowAsync(PageRequest page)
    {
        var name = (string)page.Http.Request.RouteValues[Reaction]!;
        var row = (await ReadRowsAsync(page).ConfigureAwait(false)).FirstOrDefault(each => each.Name == name);
        if (row?.Stored is null || page.Shown.Reactions is not { } reactions)
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

    private static async Task<IReadOnlyList<ReactionRow>> ReadRowsAsync(PageRequest page)
    {
        var health = await page.Shown.ReadHealthAsync(page.Cancelled).ConfigureAwait(false);
        return await ReactionRows.ReadAsync(health.Reactions, page.Shown.Reactions, page.Cancelled).ConfigureAwait(false);
    }

    private static ListPart<T> Cut<T>(IReadOnlyList<T> read) => new([.. read.Take(RowsMax)], HasNext: read.Count > RowsMax);

    // Whatever else the address says, the page begins with the first event.
    private static long PositionOf(string? text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var position) ? position : 0;
}
