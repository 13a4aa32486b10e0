namespace Opossum.AspNetCore.Pages;

/// <summary>The projections of a store.</summary>
internal static class ProjectionsPage
{
    public static Html Create(PageRequest page, IReadOnlyList<FollowerRow<ProjectionStatus>> rows)
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
            if (row.Status is { } status)
                AddCells(html, page, status);
            else
                html.Add($"{row.Name}</th><td>Not readable</td><td></td><td></td><td></td><td></td></tr>\n");
        }
        html.Add($"</tbody>\n</table>\n</div>\n");
        foreach (var row in rows)
        {
            if ((row.Error ?? row.Status?.Fault?.Error ?? row.Status?.Problem?.Error) is not { } error)
                continue;
            html.Add($"<h2>{row.Name}</h2>\n<p class=\"problem\">{error:lines}</p>\n");
            if (row.Status is not null)
                html.Add($"<p><a href=\"{page.Root}projections/{row.Name}\">What to do about {row.Name}</a></p>\n");
        }
        return html.End();
    }

    private static void AddCells(Html html, PageRequest page, ProjectionStatus status)
    {
        html.Add($"<a href=\"{page.Root}projections/{status.Name}\">{status.Name}</a></th>");
        html.Add($"<td>{(status.Phase == FollowerPhase.NotRunHere ? "Not run by this app" : status.Phase.ToString())}</td>");
        html.Add($"<td class=\"number\">{status.Position:N0}</td>");
        html.Add($"<td class=\"number\">{Layout.CountOfEvents(status.Lag)}</td><td class=\"number\">{status.Version}</td>");
        html.Add($"<td>{(status.IsLeader ? "this process" : "another process, or none")}</td></tr>\n");
    }
}
