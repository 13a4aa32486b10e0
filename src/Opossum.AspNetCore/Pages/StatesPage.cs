namespace Opossum.AspNetCore.Pages;

/// <summary>Some states of a projection, in the order of their keys.</summary>
internal static class StatesPage
{
    private const int KeyLengthMax = 200;
    private const int TagsMax = 8;
    private const int ExcerptLengthMax = 240;

    // What servers and proxies take as the first line of a request.
    private const int AddressLengthMax = 4_000;

    public static Html Create(PageRequest page, string name, string start, bool isFirst, StoredStatePage found)
    {
        var root = page.Root;
        var html = Layout.Begin(page, $"States of {name}", Layout.Projections);
        html.Add($"<h1>States of {name}</h1>\n");
        html.Add($"<form method=\"get\" action=\"{root}projections/{name}\" role=\"search\" aria-label=\"Find states\">\n");
        html.Add($"<p><label for=\"{StateRequests.StartField}\">Key starts with</label>\n<input id=\"{StateRequests.StartField}\" ");
        html.Add($"name=\"{StateRequests.StartField}\" type=\"text\" value=\"{start:exact}\" autocomplete=\"off\" autocapitalize=\"none\" ");
        html.Add($"spellcheck=\"false\"></p>\n<p class=\"do\"><button>Find</button> ");
        html.Add($"<a href=\"{root}projections/{name}\">Show all</a></p>\n</form>\n");
        html.Add($"<p>{Summary(start, isFirst, found)}</p>\n<ol class=\"events\" aria-label=\"States\">\n");
        foreach (var state in found.States)
            AddRow(html, root, name, state);
        html.Add($"</ol>\n<nav class=\"pages\" aria-label=\"Pages of states\"><ul>\n");
        if (!isFirst)
            html.PageLink(root + StateRequests.PathOfPage(name, start, null), "First page");
        if (found.Next is { } next)
            html.PageLink(root + StateRequests.PathOfPage(name, start, next), "Next page");
        return html.Add($"</ul></nav>\n").End();
    }

    private static string Summary(string start, bool isFirst, StoredStatePage found) => found switch
    {
        { States.Count: > 0 } => "In the order of their keys, as they are stored.",
        { Next: not null } => "The states that were here have been deleted. The next page continues.",
        _ when !isFirst => "There are no further states.",
        _ => start.Length == 0 ? "There are no states." : "No key starts with that.",
    };

    private static void AddRow(Html html, string root, string name, StoredProjectionState state)
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
        var excerpt = VisibleText.Cut(EventRow.Beginning(state.StoredJson.Span, ExcerptLengthMax * 3), ExcerptLengthMax);
        html.Add($"</ul>\n<code class=\"excerpt\" dir=\"ltr\">{excerpt}</code></li>\n");
    }
}
