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

        html.BeginTable("title", "Name", "Phase", "Position", "Lag", "Version", "Led by");
        foreach (var row in rows)
        {
            html.Add($"<tr><th scope=\"row\">");
            if (row.Status is { } status)
                AddCells(html, page, status);
            else
                html.Add($"{row.Name}</th><td>Not readable</td><td></td><td></td><td></td><td></td></tr>\n");
        }
        html.EndTable();
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
