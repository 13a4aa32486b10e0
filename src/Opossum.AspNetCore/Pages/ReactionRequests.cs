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
        var rows = page.Shown.InFolder?.Reactions is not { } reactions ? [] : await FollowerRow<ReactionStatus>.ReadAsync(
            reactions.ListAsync(page.Cancelled), name => reactions[name].GetStatusAsync(page.Cancelled)).ConfigureAwait(false);
        await page.WriteAsync(ReactionsPage.Create(page, rows)).ConfigureAwait(false);
    }

    public static async Task ShowAsync(PageRequest page)
    {
        var name = (string)page.Http.Request.RouteValues[Reaction]!;
        if (await FindAsync(page, name).ConfigureAwait(false) is not { } reaction)
        {
            await page.WriteErrorAsync(StatusCodes.Status404NotFound, "No such reaction", $"No reaction {name} has begun in the store's folder.")
                .ConfigureAwait(false);
            return;
        }
        var status = await reaction.GetStatusAsync(page.Cancelled).ConfigureAwait(false);
        var query = page.Http.Request.Query;
        var place = new ReactionPlace(name, PositionOf(query[ParkedField]), query[ScheduledField].ToString(), PositionOf(query[SkippedField]));
        // One more than a page has: whether there is a next page.
        var parked = await reaction.ReadParkedAsync(place.Parked, RowsMax + 1, page.Cancelled).ConfigureAwait(false);
        var scheduled = await reaction.ReadScheduledAsync(place.Scheduled, RowsMax + 1, page.Cancelled).ConfigureAwait(false);
        var skipped = await reaction.ReadSkippedAsync(place.Skipped, RowsMax + 1, page.Cancelled).ConfigureAwait(false);
        await page.WriteAsync(ReactionPage.Create(page, status, place, Cut(parked), Cut(scheduled), Cut(skipped))).ConfigureAwait(false);
    }

    /// <summary>The path of a reaction, from the folder of the pages.</summary>
    public static string PathOf(string name) => $"reactions/{Uri.EscapeDataString(name)}";

    private static async Task<ReactionHandle?> FindAsync(PageRequest page, string name) => page.Shown.InFolder?.Reactions is { } reactions
        && (await reactions.ListAsync(page.Cancelled).ConfigureAwait(false)).Contains(name, StringComparer.Ordinal) ? reactions[name] : null;

    private static ListPart<T> Cut<T>(IReadOnlyList<T> read) => new([.. read.Take(RowsMax)], HasNext: read.Count > RowsMax);

    // Whatever else the address says, the page begins with the first event.
    private static long PositionOf(string? text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var position) ? position : 0;
}
