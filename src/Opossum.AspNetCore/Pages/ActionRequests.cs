using System.Globalization;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCore.Pages;

/// <summary>Answers what the buttons of the pages send: writes a request to the leading process, and goes back to the page.</summary>
internal static class ActionRequests
{
    public static Task RebuildProjectionAsync(PageRequest page) => AnswerAsync(page, StateRequests.Projection, page.Shown.Projections,
        static (projections, name, _, cancelled) => projections.RequestRebuildAsync(name, cancelled));

    public static Task RetryProjectionAsync(PageRequest page) => AnswerAsync(page, StateRequests.Projection, page.Shown.Projections,
        static (projections, name, _, cancelled) => projections.RequestRetryAsync(name, cancelled));

    public static Task SkipInProjectionAsync(PageRequest page) => AnswerAsync(page, StateRequests.Projection, page.Shown.Projections,
        static (projections, name, form, cancelled) => projections.RequestSkipAsync(name, PositionOf(form), ReasonOf(form), cancelled));

    public static Task RetryParkedAsync(PageRequest page) => AnswerAsync(page, ReactionRequests.Reaction, page.Shown.Reactions,
        static (reactions, name, form, cancelled) => reactions.RequestRetryAsync(name, PositionOf(form), cancelled));

    public static Task SkipParkedAsync(PageRequest page) => AnswerAsync(page, ReactionRequests.Reaction, page.Shown.Reactions,
        static (reactions, name, form, cancelled) => reactions.RequestSkipAsync(name, PositionOf(form), ReasonOf(form), cancelled));

    private static async Task AnswerAsync<T>(PageRequest page, string segment, T? target,
        Func<T, string, IFormCollection, CancellationToken, Task> request)
        where T : class
    {
        var http = page.Http;
        if (!await http.RequestServices.GetRequiredService<IAntiforgery>().IsRequestValidAsync(http).ConfigureAwait(false))
        {
            await page.WriteAsync(ErrorPage.Create(page, "Not sent by this page", "The form was not sent by one of these pages, or it is too old. "
                + "Load the page again and repeat it. Nothing was requested."), StatusCodes.Status400BadRequest).ConfigureAwait(false);
            return;
        }
        var name = (string)http.Request.RouteValues[segment]!;
        var form = await http.Request.ReadFormAsync(page.Cancelled).ConfigureAwait(false);
        try
        {
            await request(target ?? throw new ArgumentException("The store has no folder."), name, form, page.Cancelled).ConfigureAwait(false);
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException or NotSupportedException)
        {
            await page.WriteAsync(ErrorPage.Create(page, "Not possible", $"{MessageOf(e)} Nothing was requested."), StatusCodes.Status400BadRequest)
                .ConfigureAwait(false);
            return;
        }
        PageRequest.Protect(http.Response);
        http.Response.Headers.CacheControl = "no-store";
        // Relative, because a reverse proxy may have removed the beginning of the path.
        http.Response.Headers.Location = $"../{Uri.EscapeDataString(name)}";
        http.Response.StatusCode = StatusCodes.Status303SeeOther;
    }

    private static long PositionOf(IFormCollection form) =>
        long.TryParse(form[ActionForm.PositionField], NumberStyles.None, CultureInfo.InvariantCulture, out var position)
            ? position
            : throw new ArgumentException("The form names no position.");

    private static string ReasonOf(IFormCollection form) => form[ActionForm.ReasonField].ToString().Trim() is { Length: > 0 } reason
        ? reason
        : throw new ArgumentException("A reason is needed, for the record.");

    private static string MessageOf(Exception e) => e is ArgumentException { ParamName: { } name }
        ? e.Message.Replace($" (Parameter '{name}')", "", StringComparison.Ordinal)
        : e.Message;
}
