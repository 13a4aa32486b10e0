using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Opossum.AspNetCore.Problems;

namespace Opossum.AspNetCore.Pages;

/// <summary>The pages of one store: their routes, who may see them, and what is answered when the store cannot be read.</summary>
/// <param name="serviceKey">The store's key; null: the store without a key.</param>
internal sealed class StorePages(object? serviceKey)
{
    private static readonly string[] get = [HttpMethods.Get];
    private static readonly string[] getAndHead = [HttpMethods.Get, HttpMethods.Head];

    private readonly Suggestions suggestions = new();
    private readonly HealthReader health = new(serviceKey);
    private readonly string? name = Convert.ToString(serviceKey, CultureInfo.InvariantCulture);

    public void Map(RouteGroupBuilder group)
    {
        Map(group, "/", "Events", ShowEventsAsync);
        // A stream without a body would not end.
        Map(group, "/live", "Live events", LiveTail.FollowAsync, get);
        Map(group, "/events/{position:long}", "Event", ShowEventAsync);
        Map(group, "/events/{position:long}/download", "Event as JSON", DownloadAsync);
        Map(group, "/projections", "Projections", ShowProjectionsAsync);
        Map(group, "/store", "Store", ShowStoreAsync);
        foreach (var asset in Asset.All)
            Describe(group.MapMethods($"/{asset.Name}", getAndHead, asset.WriteAsync), asset.Name);
    }

    private void Map(RouteGroupBuilder group, string pattern, string what, Func<PageRequest, Task> show, string[]? methods = null)
    {
        var depth = pattern.Split('/', StringSplitOptions.RemoveEmptyEntries).Length;
        Describe(group.MapMethods(pattern, methods ?? getAndHead, http => AnswerAsync(http, depth, show)), what);
    }

    private static void Describe(IEndpointConventionBuilder endpoint, string what) =>
        endpoint.WithDisplayName($"Opossum: {what}").WithMetadata(new ExcludeFromDescriptionAttribute());

    private async Task AnswerAsync(HttpContext http, int depth, Func<PageRequest, Task> show)
    {
        var page = new PageRequest(http, StoreOf(http.RequestServices), name, depth);
        if (!await PageAccess.IsAllowedAsync(page).ConfigureAwait(false))
            return;
        try
        {
            await show(page).ConfigureAwait(false);
        }
        catch (EventStoreException e) when (!http.Response.HasStarted)
        {
            var status = e.IsTransient ? StatusCodes.Status503ServiceUnavailable : StatusCodes.Status500InternalServerError;
            ProblemLog.Failed(http.RequestServices.GetRequiredService<ILogger<StorePages>>(), e.Message, e);
            await page.WriteAsync(ErrorPage.Create(page, "The store cannot be read", e.Message), status).ConfigureAwait(false);
        }
    }

    private IEventStore StoreOf(IServiceProvider services) =>
        serviceKey is null ? services.GetRequiredService<IEventStore>() : services.GetRequiredKeyedService<IEventStore>(serviceKey);

    private async Task ShowEventsAsync(PageRequest page)
    {
        if (page.RedirectToFolder())
            return;
        var filter = EventFilter.Parse(page.Http.Request.Query);
        var known = await suggestions.GetAsync(page.Store, page.Cancelled).ConfigureAwait(false);
        var found = await EventPageReader.ReadAsync(page.Store, filter, page.Cancelled).ConfigureAwait(false);
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

    private async Task ShowProjectionsAsync(PageRequest page) =>
        await page.WriteAsync(ProjectionsPage.Create(page, await health.ReadAsync(page).ConfigureAwait(false))).ConfigureAwait(false);

    private async Task ShowStoreAsync(PageRequest page)
    {
        var status = await page.Store.GetStatusAsync(cancellationToken: page.Cancelled).ConfigureAwait(false);
        await page.WriteAsync(StorePage.Create(page, status, await health.ReadAsync(page).ConfigureAwait(false))).ConfigureAwait(false);
    }

    // Null: there is no such event, which has been answered.
    private static async Task<SequencedEvent?> FindAsync(PageRequest page)
    {
        var position = long.Parse((string)page.Http.Request.RouteValues["position"]!, CultureInfo.InvariantCulture);
        if (position > 0)
        {
            var one = new ReadOptions { From = position, UpTo = position };
            await foreach (var found in page.Store.ReadAsync(Query.All, one, page.Cancelled).ConfigureAwait(false))
                return found;
        }
        var head = await page.Store.GetHeadAsync(page.Cancelled).ConfigureAwait(false);
        var message = $"There is no event at position {position}. " + (head == 0 ? "The store is empty." : $"The positions are 1 to {head}.");
        await page.WriteAsync(ErrorPage.Create(page, "No such event", message), StatusCodes.Status404NotFound).ConfigureAwait(false);
        return null;
    }
}
