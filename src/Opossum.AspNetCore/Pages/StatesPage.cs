namespace Opossum.AspNetCore.Pages;

/// <summary>Some states of a projection, in the order of their keys.</summary>
internal static class StatesPage
{
    private const int KeyLengthMax = 200;
    private const int TagsMax = 8;
    private const int ExcerptLengthMax = 240;

    // What servers and proxies take as the first line of a request.
    private const int AddressLengthMax = 4_000;

    public static Html Create(PageRequest page, ProjectionStatus projection, string start, bool isFirst, StoredStatePage found)
    {
        var (root, name) = (page.Root, projection.Name);
        var html = Begin(page, projection);
        html.Add($"<h2>States</h2>\n<form method=\"get\" action=\"{root}projections/{name}\" role=\"search\" aria-label=\"Find states\">\n");
        html.Add($"<p><label for=\"{StateRequests.StartField}\">Key starts with</label>\n<input id=\"{StateRequests.StartField}\" ");
        html.Add($"name=\"{StateRequests.StartField}\" type=\"text\" value=\"{start:exact}\" autocomplete=\"off\" autocapitalize=\"none\" ");
        html.Add($"spellcheck=\"false\"></p>\n<p class=\"do\"><button>Find</button> ");
        html.Add($"<a href=\"{root}projections/{name}\">Show all</a></p>\n</form>\n");
        html.Add($"<p>{Summary(projection, start, isFirst, found)}</p>\n<ol class=\"events\" aria-label=\"States\">\n");
        foreach (var state in found.States)
            AddRow(html, root, name, state);
        html.Add($"</ol>\n<nav class=\"pages\" aria-label=\"Pages of states\"><ul>\n");
        if (!isFirst)
            html.PageLink(root + StateRequests.PathOfPage(name, start, null), "First page");
        if (found.Next is { } next)
            html.PageLink(root + StateRequests.PathOfPage(name, start, next), "Next page");
        return html.Add($"</ul></nav>\n").End();
    }

    /// <summary>The page of a projection whose states cannot be shown.</summary>
    /// <param name="why">Why, as a sentence.</param>
    public static Html Create(PageRequest page, ProjectionStatus projection, string why) =>
        Begin(page, projection).Add($"<h2>States</h2>\n<p>{why:lines}</p>\n").End();

    private static Html Begin(PageRequest page, ProjectionStatus projection)
    {
        var html = Layout.Begin(page, $"States of {projection.Name}", Layout.Projections);
        html.Add($"<h1>States of {projection.Name}</h1>\n");
        AddState(html, page, projection);
        return html;
    }

    private static void AddState(Html html, PageRequest page, ProjectionStatus projection)
    {
        var path = $"projections/{projection.Name}";
        html.Add($"<dl>\n");
        html.Describe("Position", FormattableString.Invariant($"{projection.Position:N0}"))
            .Describe("Lag", Layout.CountOfEvents(projection.Lag));
        if (projection.RebuildPosition is { } rebuilt)
            html.Describe("New states are built up to", FormattableString.Invariant($"{rebuilt:N0}"));
        html.Describe("Requests not carried out yet", FormattableString.Invariant($"{projection.OpenRequests:N0}"));
        html.Add($"</dl>\n");
        if (projection.Fault is { } fault)
        {
            html.Add($"<h2>Stopped at <a href=\"{page.Root}events/{fault.Position}\">event {fault.Position} ");
            html.Add($"<bdi>{VisibleText.Cut(fault.EventType, EventRow.TagLengthMax)}</bdi></a></h2>\n");
            html.Add($"<p class=\"problem\">{fault.Error:lines}</p>\n<p>Since ").Time(fault.At);
            html.Add($" UTC. Mend the cause and retry the event, or skip it: then no state counts it.</p>\n");
            ActionForm.Add(html, page, $"{path}/retry", FormattableString.Invariant($"Retry event {fault.Position}"));
            ActionForm.Add(html, page, $"{path}/skip", FormattableString.Invariant($"Skip event {fault.Position}"), fault.Position, asksWhy: true);
        }
        ActionForm.Add(html, page, $"{path}/rebuild", "Rebuild all states");
    }

    private static string Summary(ProjectionStatus projection, string start, bool isFirst, StoredStatePage found) => found switch
    {
        { States.Count: > 0 } => "In the order of their keys, as they are stored.",
        { Next: not null } => "The states that were here have been deleted. The next page continues.",
        _ when !isFirst => "There are no further states.",
        _ when projection.Fault is not null && start.Length == 0 => "There are no states yet: the projection has stopped before the first one.",
        _ => start.Length == 0 ? "There are no states." : "No key starts with that.",
    };

    private static void AddRow(Html html, string root, string name, ProjectionEntry<byte[]> state)
    {
        var address = root + StateRequests.PathOf(name, state.Key);
        var key = VisibleText.Cut(state.Key, KeyLengthMax);
        if (address.Length > AddressLengthMax)
            html.Add($"<li><span class=\"event\"><bdi>{key}</bdi> (too long for a page of its own)</span>\n");
        else
            html.Add($"<li><a class=\"event\" href=\"{address:exact}\"><bdi>{key}</bdi></a>\n");
        html.Add($"<span>as of <a href=\"{root}events/{state.Position}\">event {state.Position}</a></span>\n<ul class=\"tags\">");
        foreach (var tag in state.Tags.Take(TagsMax))
            html.Add($"<li><bdi>{VisibleText.Cut(tag.ToString(), EventRow.TagLengthMax)}</bdi></li>");
        if (state.Tags.Count > TagsMax)
            html.Add($"<li>and {state.Tags.Count - TagsMax} more</li>");
        var excerpt = VisibleText.Cut(EventRow.Beginning(state.State, ExcerptLengthMax * 3), ExcerptLengthMax);
        html.Add($"</ul>\n<code class=\"excerpt\" dir=\"ltr\">{excerpt}</code></li>\n");
    }
}
