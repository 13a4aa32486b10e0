using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Opossum.AspNetCore.Problems;

namespace Opossum.AspNetCore.Pages;

/// <summary>How pages are mapped and answered: who may see them, and what is answered when a store cannot be read.</summary>
internal static class PageRoutes
{
    private const string OthersPath = "others";

    private static readonly string[] getAndHead = [HttpMethods.Get, HttpMethods.Head];

    /// <summary>Maps a page.</summary>
    /// <param name="pattern">The page's path in the group.</param>
    /// <param name="answer">Answers a request; its second argument is the number of segments of the page's path.</param>
    public static void Map(RouteGroupBuilder group, string pattern, string what, Func<HttpContext, int, Task> answer,
        PageKind kind = PageKind.Page)
    {
        var depth = SegmentsOf(pattern);
        string[] methods = kind switch { PageKind.Action => [HttpMethods.Post], PageKind.Stream => [HttpMethods.Get], _ => getAndHead };
        Describe(group.MapMethods(pattern, methods, http => answer(http, depth)), what);
    }

    /// <summary>Maps a page that says so to every other address below the pages.</summary>
    /// <param name="newPage">Makes the request of a page from the number of segments of its path.</param>
    public static void MapOthers(RouteGroupBuilder group, Func<HttpContext, int, PageRequest> newPage)
    {
        var others = group.MapMethods($"/{{**{OthersPath}}}", getAndHead, http =>
        {
            var path = (string?)http.Request.RouteValues[OthersPath] ?? "";
            var page = newPage(http, Math.Max(1, SegmentsOf(path)));
            return AnswerAsync(page, () => page.WriteErrorAsync(StatusCodes.Status404NotFound, "No such page", $"There is no page at {path} here."));
        });
        Describe(others, "No such page");
    }

    public static void MapAssets(RouteGroupBuilder group)
    {
        foreach (var asset in Asset.All)
            Describe(group.MapMethods($"/{asset.Name}", getAndHead, asset.WriteAsync), asset.Name);
    }

    public static async Task AnswerAsync(PageRequest page, Func<Task> show)
    {
        if (!await PageAccess.IsAllowedAsync(page).ConfigureAwait(false) || page.RedirectToFolder())
            return;
        var http = page.Http;
        try
        {
            await show().ConfigureAwait(false);
        }
        catch (EventStoreException e) when (!http.Response.HasStarted)
        {
            var status = e.IsTransient ? StatusCodes.Status503ServiceUnavailable : StatusCodes.Status500InternalServerError;
            Action<ILogger, string, Exception> log = e.IsTransient ? ProblemLog.Unavailable : ProblemLog.Failed;
            log(http.RequestServices.GetRequiredService<ILogger<StorePages>>(), e.Message, e);
            await page.WriteErrorAsync(status, "The store cannot be read", e.Message).ConfigureAwait(false);
        }
    }

    private static int SegmentsOf(string path) => path.Split('/', StringSplitOptions.RemoveEmptyEntries).Length;

    private static void Describe(IEndpointConventionBuilder endpoint, string what) =>
        endpoint.WithDisplayName($"Opossum: {what}").WithMetadata(new ExcludeFromDescriptionAttribute());
}
