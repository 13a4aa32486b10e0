using Microsoft.AspNetCore.Http;

namespace Opossum.AspNetCore.Pages;

/// <summary>Answers requests for the states of a projection. They are shown as they are stored: nothing is decrypted.</summary>
internal static class StateRequests
{
    /// <summary>The name of the segment of the path.</summary>
    public const string Projection = "projection";

    public const string KeyField = "key";
    public const string StartField = "start";
    public const string AfterField = "after";

    private const int RowsMax = 50;

    public static async Task ShowPageAsync(PageRequest page)
    {
        if (await FindAsync(page).ConfigureAwait(false) is not { } projection)
            return;
        var query = page.Http.Request.Query;
        var (start, after) = (query[StartField].ToString(), query[AfterField].ToString());
        var status = await projection.GetStatusAsync(page.Cancelled).ConfigureAwait(false);
        var isFirst = after.Length == 0;
        StoredStatePage found;
        try
        {
            found = await projection.ReadStatePageAsync(start, isFirst ? null : after, RowsMax, page.Cancelled).ConfigureAwait(false);
        }
        catch (NotSupportedException e)
        {
            await page.WriteAsync(StatesPage.Create(page, status, e.Message)).ConfigureAwait(false);
            return;
        }
        catch (ArgumentException)
        {
            await page.WriteErrorAsync(StatusCodes.Status400BadRequest, "No such page",
                "The address is not that of a page of states. Begin with the first page.").ConfigureAwait(false);
            return;
        }
        await page.WriteAsync(StatesPage.Create(page, status, start, isFirst, found)).ConfigureAwait(false);
    }

    public static async Task ShowAsync(PageRequest page)
    {
        if (await FindStateAsync(page).ConfigureAwait(false) is var (name, state))
            await page.WriteAsync(StatePage.Create(page, name, state)).ConfigureAwait(false);
    }

    public static async Task DownloadAsync(PageRequest page)
    {
        if (await FindStateAsync(page).ConfigureAwait(false) is not var (name, state))
            return;
        // The key is in the file, not in its name: it may contain anything.
        await page.WriteDownloadAsync($"{name}-state", writer =>
        {
            writer.WriteString("projection", name);
            writer.WriteString("key", state.Key);
            writer.WriteNumber("position", state.Position);
            EventDownload.WriteTexts(writer, "tags", state.Tags.Select(static tag => tag.ToString()));
            writer.WritePropertyName("state");
            writer.WriteRawValue(state.State, skipInputValidation: true);
        }).ConfigureAwait(false);
    }

    public static string PathOfPage(string name, string start, string? after)
    {
        var path = $"projections/{name}?{StartField}={Uri.EscapeDataString(start)}";
        return after is null ? path : $"{path}&{AfterField}={Uri.EscapeDataString(after)}";
    }

    public static string PathOf(string name, string key, string page = "state") =>
        $"projections/{name}/{page}?{KeyField}={Uri.EscapeDataString(key)}";

    // Null: there is no such projection, which has been answered.
    private static async Task<ProjectionHandle?> FindAsync(PageRequest page)
    {
        var name = (string)page.Http.Request.RouteValues[Projection]!;
        var projections = page.Shown.InFolder?.Projections;
        if (projections is not null && (await projections.ListAsync(page.Cancelled).ConfigureAwait(false)).Contains(name, StringComparer.Ordinal))
            return projections[name];
        await page.WriteErrorAsync(StatusCodes.Status404NotFound, "No such projection", $"The store's folder has no states of a projection {name}.")
            .ConfigureAwait(false);
        return null;
    }

    private static async Task<(string Name, ProjectionEntry<byte[]> State)?> FindStateAsync(PageRequest page)
    {
        if (await FindAsync(page).ConfigureAwait(false) is not { } projection)
            return null;
        var key = page.Http.Request.Query[KeyField].ToString();
        try
        {
            if (key.Length > 0
                && await projection.GetStoredStateAsync(key, page.Cancelled).ConfigureAwait(false) is { } state)
            {
                return (projection.Name, state);
            }
        }
        catch (NotSupportedException)
        {
            // It keeps rows in a database, which the page of its states says.
        }
        var message = $"The projection {projection.Name} has no state for the key {VisibleText.Cut(key, 1_000)}.";
        await page.WriteErrorAsync(StatusCodes.Status404NotFound, "No such state", message).ConfigureAwait(false);
        return null;
    }
}
