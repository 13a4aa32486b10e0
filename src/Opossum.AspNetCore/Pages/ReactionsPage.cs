namespace Opossum.AspNetCore.Pages;

/// <summary>The reactions of a store.</summary>
internal static class ReactionsPage
{
    public static Html Create(PageRequest page, IReadOnlyList<ReactionRow> rows)
    {
        var html = Layout.Begin(page, Layout.Reactions, Layout.Reactions);
        html.Add($"<h1 id=\"title\">Reactions</h1>\n");
        if (rows.Count == 0)
            return html.Add($"<p>This app runs no reactions of this store, and none has begun in the store's folder.</p>\n").End();

        html.Add($"""
            <div class="scroll" role="region" aria-labelledby="title" tabindex="0">
            <table>
            <thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">Position</th><th scope="col">Lag</th>
            <th scope="col">Open</th><th scope="col">Parked</th><th scope="col">Due</th></tr></thead>
            <tbody>

            """);
        foreach (var row in rows)
        {
            html.Add($"<tr><th scope=\"row\">");
            if (row.Stored is not null)
                html.Add($"<a href=\"{page.Root + ReactionRequests.PathOf(row.Name):exact}\"><bdi>{row.Name}</bdi></a>");
            else
                html.Add($"<bdi>{row.Name}</bdi>");
            html.Add($"</th><td>{row.State}</td><td class=\"number\">{row.Position:N0}</td>");
            html.Add($"<td class=\"number\">{Layout.CountOfEvents(row.Lag)}</td>");
            html.Add($"<td class=\"number\">{Open(row)}</td><td class=\"number\">{row.Parked:N0}</td>");
            html.Add($"<td class=\"number\">{row.Stored?.Scheduled ?? 0:N0}</td></tr>\n");
        }
        html.Add($"</tbody>\n</table>\n</div>\n");
        foreach (var row in rows.Where(static each => each.Error is not null))
            html.Add($"<h2><bdi>{row.Name}</bdi></h2>\n<p class=\"problem\">{row.Error:lines}</p>\n");
        return html.End();
    }

    /// <summary>How many events are not handled yet, and how many of them have failed.</summary>
    public static string Open(ReactionRow row) => row.Failing == 0
        ? FormattableString.Invariant($"{row.Open:N0}")
        : FormattableString.Invariant($"{row.Open:N0}, {row.Failing:N0} failing");
}
