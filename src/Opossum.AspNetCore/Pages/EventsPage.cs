namespace Opossum.AspNetCore.Pages;

/// <summary>The list of events, with a form to find some.</summary>
internal static class EventsPage
{
    public static Html Create(PageRequest page, EventFilter filter, EventRows found, StoreStatus? known)
    {
        var html = Layout.Begin(page, Layout.Events, Layout.Events);
        html.Add($"<h1>Events</h1>\n");
        EventForm.Add(html, filter, known);
        AddSummary(html, filter, found);
        AddLive(html, filter, found);
        html.Add($"<ol class=\"events\" id=\"events\">\n");
        foreach (var row in found.Rows)
            AddRow(html, filter, row);
        html.Add($"</ol>\n");
        var newest = found.Rows is [var first, ..] ? first.Position : filter.Before - 1 ?? filter.After;
        var oldest = found.Rows is [.., var last] ? last.Position : filter.After + 1;
        return html.PageLinks("Pages of events",
            (found.HasNewer ? filter.Link() : null, "Newest"),
            (found.HasNewer ? filter.Link(EventFilter.AfterField, newest) : null, "Newer"),
            (found.HasOlder ? filter.Link(EventFilter.BeforeField, oldest) : null, "Older"),
            (found.HasOlder ? filter.Link(EventFilter.AfterField, 0) : null, "Oldest")).End();
    }

    private static void AddSummary(Html html, EventFilter filter, EventRows found)
    {
        if (filter.Errors.Count > 0)
            return;
        if (found.Head == 0)
            html.Add($"<p>The store is empty.</p>\n");
        else if (found.Rows.Count == 0)
            html.Add($"<p>{(filter.IsEmpty ? "No event is here." : "No event matches here.")} The last position is {found.Head:N0}.</p>\n");
        else
            html.Add($"<p>{Count(found)} of {found.Head:N0}, the newest first. All times are UTC.</p>\n");
        if (found.IsHalved)
            html.Add($"<p>The times were found by samples: an event whose time is out of order may be missing.</p>\n");
    }

    private static string Count(EventRows found) => found.Rows.Count == 1
        ? FormattableString.Invariant($"Position {found.Rows[0].Position:N0}")
        : FormattableString.Invariant($"Positions {found.Rows[^1].Position:N0} to {found.Rows[0].Position:N0}");

    // The script shows the button: without it, nothing can follow. Only the page with the newest events can go on.
    private static void AddLive(Html html, EventFilter filter, EventRows found)
    {
        if (found.HasNewer || filter.Until is not null || filter.Errors.Count > 0)
            return;
        var source = $"live{filter.Link(EventFilter.AfterField, found.Head)}";
        html.Add($"<p class=\"live\"><button type=\"button\" id=\"live\" data-source=\"{source:exact}\" aria-pressed=\"false\" hidden>");
        html.Add($"Follow new events</button> <span id=\"live-state\" role=\"status\"></span></p>\n");
    }

    private static void AddRow(Html html, EventFilter filter, EventRow row)
    {
        html.Add($"<li><a class=\"event\" href=\"events/{row.Position}\"><span class=\"position\">{row.Position}</span> ");
        html.Add($"<bdi>{VisibleText.Cut(row.TypeAndVersion, EventRow.TagLengthMax)}</bdi></a>\n").Time(row.Time).Add($"\n<ul class=\"tags\">");
        foreach (var tag in row.Tags)
        {
            html.Add($"<li><a href=\"{filter.With(tag).Link():exact}\"><bdi>{VisibleText.Cut(tag.ToString(), EventRow.TagLengthMax)}</bdi></a></li>");
        }
        if (row.FurtherTags > 0)
            html.Add($"<li>and {row.FurtherTags} more</li>");
        html.Add($"</ul>\n<code class=\"excerpt\" dir=\"ltr\">{row.Excerpt}</code></li>\n");
    }
}
