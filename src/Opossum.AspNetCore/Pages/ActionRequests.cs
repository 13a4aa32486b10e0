using System.Globalization;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCore.Pages;

/// <summary>Answers what the buttons of the pages send: writes a request to the leading process, and goes back to the page.</summary>
internal static class ActionRequests
{
    public static Task RebuildProjectionAsync(PageRequest page) => AnswerAsync(page, StateRequests.Projection,
        static (store, name, _, cancelled) => store.Projections[name].RebuildAsync(wait: false, cancelled));

    public static Task RetryProjectionAsync(PageRequest page) => AnswerAsync(page, StateRequests.Projection,
        static (store, name, _, cancelled) => store.Projections[name].RetryAsync(wait: false, cancelled));

    public static Task SkipInProjectionAsync(PageRequest page) => AnswerAsync(page, StateRequests.Projection,
        static (store, name, form, cancelled) => store.Projections[name].SkipAsync(PositionOf(form), ReasonOf(form), wait: false, cancelled));

    public static Task RetryParkedAsync(PageRequest page) => AnswerAsync(page, ReactionRequests.Reaction,
        static (store, name, form, cancelled) => store.Reactions[name].RetryAsync(PositionOf(form), wait: false, cancelled));

    public static Task SkipParkedAsync(PageRequest page) => AnswerAsync(page, ReactionRequests.Reaction,
        static (store, name, form, cancelled) => store.Reactions[name].SkipAsync(PositionOf(form), ReasonOf(form), wait: false, cancelled));

    private static async Task AnswerAsync(PageRequest page, string segment,
        Func<IFileSystemEventStore, string, IFormCollection, CancellationToken, Task> request)
    {
        var http = page.Http;
        var name = (string)http.Request.RouteValues[segment]!;
        try
        {
            // Reads the form too, unless a header has the token.
            if (!await http.RequestServices.GetRequiredService<IAntiforgery>().IsRequestValidAsync(http).ConfigureAwait(false))
            {
                await page.WriteErrorAsync(StatusCodes.Status400BadRequest, "Not sent by this page", "The form was not sent by one of these pages, "
                    + "or it is too old. Load the page again and repeat it. Nothing was requested.").ConfigureAwait(false);
                return;
            }
            var form = await ReadFormAsync(page).ConfigureAwait(false);
            var store = page.Shown.InFolder ?? throw new InvalidOperationException("The store has no folder.");
            await request(store, name, form, page.Cancelled).ConfigureAwait(false);
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException or NotSupportedException or AntiforgeryValidationException)
        {
            await page.WriteErrorAsync(StatusCodes.Status400BadRequest, "Not possible", $"{FieldReader.MessageOf(e)} Nothing was requested.")
                .ConfigureAwait(false);
            return;
        }
        PageRequest.Protect(http.Response);
        http.Response.Headers.CacheControl = "no-store";
        // Relative, because a reverse proxy may have removed the beginning of the path.
        http.Response.Headers.Location = $"../{Uri.EscapeDataString(name)}";
        http.Response.StatusCode = StatusCodes.Status303SeeOther;
    }

    private static async Task<IFormCollection> ReadFormAsync(PageRequest page)
    {
        try
        {
            return await page.Http.Request.ReadFormAsync(page.Cancelled).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or InvalidDataException)
        {
            throw new ArgumentException($"The form cannot be read. {e.Message}", e);
        }
    }

    private static long PositionOf(IFormCollection form) =>
        long.TryParse(form[ActionForm.PositionField], NumberStyles.None, CultureInfo.InvariantCulture, out var position)
            ? position
            : throw new ArgumentException("The form names no position.");

    private static string ReasonOf(IFormCollection form) => form[ActionForm.ReasonField].ToString().Trim() is { Length: > 0 } reason
        ? reason
        : throw new ArgumentException("A reason is needed, for the record.");
}
