namespace Opossum.AspNetCore.Pages;

/// <summary>The projections of a store.</summary>
internal static class ProjectionsPage
{
    public static Html Create(PageRequest page, IReadOnlyList<ProjectionRow> rows)
    {
        var html = Layout.Begin(page, Layout.Projections, Layout.Projections);
        html.Add($"<h1 id=\"title\">Projections</h1>\n");
        if (rows.Count == 0)
            return html.Add($"<p>This app runs no projections of this store, and the store's folder has no states.</p>\n").End();

        html.Add($"""
            <div class="scroll" role="region" aria-labelledby="title" tabindex="0">
            <table>
            <thead><tr><th scope="col">Name</th><th scope="col">Phase</th><th scope="col">Position</th><th scope="col">Lag</th>
            <th scope="col">Version</th><th scope="col">Led by</th></tr></thead>
            <tbody>

            """);
        foreach (var row in rows)
        {
            html.Add($"<tr><th scope=\"row\">");
            if (row.HasStates)
                html.Add($"<a href=\"{page.Root}projections/{row.Name}\">{row.Name}</a>");
            else
                html.Add($"{row.Name}");
            html.Add($"</th><td>{row.Phase}</td><td class=\"number\">{row.Position:N0}</td>");
            html.Add($"<td class=\"number\">{Layout.CountOfEvents(row.Lag)}</td><td class=\"number\">{row.Version}</td>");
            html.Add($"<td>{(row.IsLeader ? "this process" : "another process, or none")}</td></tr>\n");
        }
        html.Add($"</tbody>\n</table>\n</div>\n");
        foreach (var row in rows.Where(each => each.Error is not null))
        {
            html.Add($"<h2>{row.Name}</h2>\n<p class=\"problem\">{row.Error:lines}</p>\n");
            if (row.HasStates)
                html.Add($"<p><a href=\"{page.Root}projections/{row.Name}\">What to do about {row.Name}</a></p>\n");
        }
        return html.End();
    }
}
