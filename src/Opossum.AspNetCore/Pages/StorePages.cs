using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Opossum.AspNetCore.Pages;

/// <summary>The pages of a store and their routes.</summary>
/// <param name="withActions">Whether there are buttons to retry, skip and rebuild.</param>
/// <param name="isBelow">Whether the pages have a path of their own, below which every address is theirs.</param>
internal sealed class StorePages(StoreSource source, bool withActions, bool isBelow)
{
    /// <summary>Up to how many events a search for times judges each event by its own time.</summary>
    public long EventsJudgedMax { get; init; } = EventPageReader.EventsJudgedMax;

    public void Map(RouteGroupBuilder group)
    {
        Map(group, "/", "Events", ShowEventsAsync);
        Map(group, "/live", "Live events", LiveTail.FollowAsync, PageKind.Stream);
        Map(group, "/events/{position:long}", "Event", ShowEventAsync);
        Map(group, "/events/{position:long}/download", "Event as JSON", DownloadAsync);
        Map(group, "/projections", "Projections", ShowProjectionsAsync);
        Map(group, $"/projections/{{{StateRequests.Projection}}}", "States", StateRequests.ShowPageAsync);
        Map(group, $"/projections/{{{StateRequests.Projection}}}/state", "State", StateRequests.ShowAsync);
        Map(group, $"/projections/{{{StateRequests.Projection}}}/state/download", "State as JSON", StateRequests.DownloadAsync);
        Map(group, "/reactions", "Reactions", ReactionRequests.ListAsync);
        Map(group, $"/reactions/{{{ReactionRequests.Reaction}}}", "Reaction", ReactionRequests.ShowAsync);
        Map(group, "/store", "Store", ShowStoreAsync);
        if (withActions)
            MapActions(group);
        PageRoutes.MapAssets(group);
        if (isBelow)
            PageRoutes.MapOthers(group, NewPage);
    }

    private void MapActions(RouteGroupBuilder group)
    {
        const string ToProjection = $"/projections/{{{StateRequests.Projection}}}";
        const string ToReaction = $"/reactions/{{{ReactionRequests.Reaction}}}";
        Map(group, $"{ToProjection}/rebuild", "Rebuild a projection", ActionRequests.RebuildProjectionAsync, PageKind.Action);
        Map(group, $"{ToProjection}/retry", "Retry in a projection", ActionRequests.RetryProjectionAsync, PageKind.Action);
        Map(group, $"{ToProjection}/skip", "Skip in a projection", ActionRequests.SkipInProjectionAsync, PageKind.Action);
        Map(group, $"{ToReaction}/retry", "Retry a parked event", ActionRequests.RetryParkedAsync, PageKind.Action);
        Map(group, $"{ToReaction}/skip", "Skip a parked event", ActionRequests.SkipParkedAsync, PageKind.Action);
    }

    private PageRequest NewPage(HttpContext http, int depth) =>
        new(http, source.NameOf(http), source.IsOneOfMany ? Layout.PlacesOfOneOfMany : Layout.Places, depth) { AllowsActions = withActions };

    private void Map(RouteGroupBuilder group, string pattern, string what, Func<PageRequest, Task> show, PageKind kind = PageKind.Page) =>
        PageRoutes.Map(group, pattern, what, (http, depth) => AnswerAsync(http, depth, show), kind);

    private Task AnswerAsync(HttpContext http, int depth, Func<PageRequest, Task> show)
    {
        var page = NewPage(http, depth);
        return PageRoutes.AnswerAsync(page, async () =>
        {
            using var shown = await source.OpenAsync(http).ConfigureAwait(false);
            if (shown is null)
            {
                await page.WriteErrorAsync(StatusCodes.Status404NotFound, "No such store", $"There is no store {page.StoreName}.")
                    .ConfigureAwait(false);
                return;
            }
            page.Shown = shown;
            await show(page).ConfigureAwait(false);
        });
    }

    private async Task ShowEventsAsync(PageRequest page)
    {
        var filter = EventFilter.Parse(page.Http.Request.Query);
        var known = page.Shown.InFolder is { } store
            ? await page.Shown.Suggestions.GetAsync(store, page.Cancelled).ConfigureAwait(false)
            : null;
        var found = await EventPageReader.ReadAsync(page.Store, filter, EventsJudgedMax, page.Cancelled).ConfigureAwait(false);
        var status = filter.Errors.Count == 0 ? StatusCodes.Status200OK : StatusCodes.Status400BadRequest;
        await page.WriteAsync(EventsPage.Create(page, filter, found, known), status).ConfigureAwait(false);
    }

    private static async Task ShowEventAsync(PageRequest page)
    {
        if (await FindAsync(page).ConfigureAwait(false) is not { } found)
            return;
        var head = await page.Store.GetHeadAsync(page.Cancelled).ConfigureAwait(false);
        var related = await RelatedEvents.FindAsync(page.Store, found, RelatedEvents.ParseWidth(page.Http.Request.Query), page.Cancelled)
            .ConfigureAwait(false);
        await page.WriteAsync(EventPage.Create(page, found, head, related)).ConfigureAwait(false);
    }

    private static async Task DownloadAsync(PageRequest page)
    {
        if (await FindAsync(page).ConfigureAwait(false) is { } found)
            await EventDownload.WriteAsync(page, found).ConfigureAwait(false);
    }

    private static async Task ShowProjectionsAsync(PageRequest page)
    {
        var rows = page.Shown.InFolder?.Projections is not { } projections ? [] : await FollowerRow<ProjectionStatus>.ReadAsync(
            projections.ListAsync(page.Cancelled), name => projections[name].GetStatusAsync(page.Cancelled)).ConfigureAwait(false);
        await page.WriteAsync(ProjectionsPage.Create(page, rows)).ConfigureAwait(false);
    }

    private static async Task ShowStoreAsync(PageRequest page)
    {
        if (page.Shown.InFolder is not { } store)
        {
            await page.WriteErrorAsync(StatusCodes.Status404NotFound, "No status",
                "The store is not known to lie in a folder, so it has no status.").ConfigureAwait(false);
            return;
        }
        var status = await store.GetStatusAsync(cancellationToken: page.Cancelled).ConfigureAwait(false);
        var health = await page.Shown.ReadHealthAsync(page.Cancelled).ConfigureAwait(false);
        await page.WriteAsync(StorePage.Create(page, status, health)).ConfigureAwait(false);
    }

    // Null: there is no such event, which has been answered.
    private static async Task<SequencedEvent?> FindAsync(PageRequest page)
    {
        var position = long.Parse((string)page.Http.Request.RouteValues["position"]!, CultureInfo.InvariantCulture);
        if (await EventPageReader.FindAsync(page.Store, position, page.Cancelled).ConfigureAwait(false) is { } found)
            return found;
        var head = await page.Store.GetHeadAsync(page.Cancelled).ConfigureAwait(false);
        var message = $"There is no event at position {position}. " + (head == 0 ? "The store is empty." : $"The positions are 1 to {head}.");
        await page.WriteErrorAsync(StatusCodes.Status404NotFound, "No such event", message).ConfigureAwait(false);
        return null;
    }
}
