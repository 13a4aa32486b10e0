namespace Opossum.AspNetCore.Pages;

/// <summary>The reactions of a store.</summary>
internal static class ReactionsPage
{
    public static Html Create(PageRequest page, IReadOnlyList<FollowerRow<ReactionStatus>> rows)
    {
        var html = Layout.Begin(page, Layout.Reactions, Layout.Reactions);
        html.Add($"<h1 id=\"title\">Reactions</h1>\n");
        if (rows.Count == 0)
            return html.Add($"<p>This app runs no reactions of this store, and none has begun in the store's folder.</p>\n").End();
        html.BeginTable("title", "Name", "State", "Position", "Lag", "Open", "Parked", "Due");
        foreach (var row in rows)
        {
            html.Add($"<tr><th scope=\"row\">");
            if (row.Status is { } status)
                AddCells(html, page, status);
            else
                html.Add($"<bdi>{row.Name}</bdi></th><td>Not readable</td><td></td><td></td><td></td><td></td><td></td></tr>\n");
        }
        html.EndTable();
        foreach (var row in rows)
        {
            if ((row.Error ?? (row.Status is null ? null : ErrorOf(row.Status))) is { } error)
                html.Add($"<h2><bdi>{row.Name}</bdi></h2>\n<p class=\"problem\">{error:lines}</p>\n");
        }
        return html.End();
    }

    /// <summary>What a reaction does, in words.</summary>
    public static string StateOf(ReactionStatus status) => status.Phase switch
    {
        FollowerPhase.NotRunHere => "Not run by this app",
        FollowerPhase.Running when !status.IsLeader => "On another process, or none",
        FollowerPhase.Running when status.Problem is not null => "Waiting for the problem below to end",
        FollowerPhase.Running when status is { Lag: 0, Open: 0 } => "Waiting for events",
        var phase => phase.ToString(),
    };

    /// <summary>Why it is halted, or what stops it for now; null: nothing does.</summary>
    public static string? ErrorOf(ReactionStatus status) => status.Halt ?? status.Problem?.Error;

    /// <summary>How many events are not handled yet, and how many of them have failed.</summary>
    public static string Open(ReactionStatus status) => status.Failing == 0
        ? FormattableString.Invariant($"{status.Open:N0}")
        : FormattableString.Invariant($"{status.Open:N0}, {status.Failing:N0} failing");

    private static void AddCells(Html html, PageRequest page, ReactionStatus status)
    {
        html.Add($"<a href=\"{page.Root + ReactionRequests.PathOf(status.Name):exact}\"><bdi>{status.Name}</bdi></a>");
        html.Add($"</th><td>{StateOf(status)}</td><td class=\"number\">{status.Position:N0}</td>");
        html.Add($"<td class=\"number\">{Layout.CountOfEvents(status.Lag)}</td>");
        html.Add($"<td class=\"number\">{Open(status)}</td><td class=\"number\">{status.Parked.Count:N0}</td>");
        html.Add($"<td class=\"number\">{status.Scheduled:N0}</td></tr>\n");
    }
}
