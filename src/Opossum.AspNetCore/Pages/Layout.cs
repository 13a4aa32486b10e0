namespace Opossum.AspNetCore.Pages;

/// <summary>What all pages have around their content.</summary>
internal static class Layout
{
    public const string Events = "Events";
    public const string Projections = "Projections";
    public const string Reactions = "Reactions";
    public const string Store = "Store";

    /// <summary>The places of a store's navigation.</summary>
    public static IReadOnlyList<(string Name, string Path)> Places { get; } =
        [(Events, ""), (Projections, "projections"), (Reactions, "reactions"), (Store, "store")];

    /// <summary>The places of a store's navigation, where there is a list of stores.</summary>
    public static IReadOnlyList<(string Name, string Path)> PlacesOfOneOfMany { get; } = [.. Places, ("All stores", "../")];

    /// <summary>Begins a page.</summary>
    /// <param name="place">The place in the navigation; null: none of them.</param>
    public static Html Begin(PageRequest page, string title, string? place)
    {
        var root = page.Root;
        var name = string.IsNullOrEmpty(page.StoreName) ? "Opossum" : $"Opossum: {page.StoreName}";
        var html = new Html();
        html.Add($"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>{title} – {name}</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" type="image/svg+xml" href="{root}opossum.svg">
            <link rel="stylesheet" href="{root}opossum.css">
            <script src="{root}opossum.js" defer></script>
            </head>
            <body>
            <a class="skip" href="#main">Skip to the content</a>
            <header>
            <p class="name"><bdi>{name}</bdi></p>

            """);
        if (page.Places.Count > 0)
            AddPlaces(html, page, place);
        return html.Add($"</header>\n<main id=\"main\" tabindex=\"-1\">\n");
    }

    public static Html End(this Html html) => html.Add($"</main>\n</body>\n</html>\n");

    public static Html Describe(this Html html, string term, string? value) => html.Add($"<div><dt>{term}</dt><dd><bdi>{value}</bdi></dd></div>\n");

    /// <summary>Adds links to other pages.</summary>
    /// <param name="label">What the links are for.</param>
    /// <param name="links">Their addresses and texts; without an address, there is no such page.</param>
    public static Html PageLinks(this Html html, string label, params ReadOnlySpan<(string? Href, string Text)> links)
    {
        html.Add($"<nav class=\"pages\" aria-label=\"{label}\"><ul>\n");
        foreach (var (href, text) in links)
        {
            if (href is not null)
                html.Add($"<li><a href=\"{href:exact}\">{text}</a></li>\n");
        }
        return html.Add($"</ul></nav>\n");
    }

    public static Html Health(this Html html, string status, string? description) =>
        html.Add($"<p class=\"health {status.ToLowerInvariant()}\"><strong>{status}</strong> {description:lines}</p>\n");

    /// <summary>Adds JSON under a heading, with a link to all of it.</summary>
    public static Html Json(this Html html, string heading, ReadOnlyMemory<byte> json, string href, string link)
    {
        var (text, isWhole) = ShownJson.Of(json.Span);
        html.Add($"<h2 id=\"data\">{heading}</h2>\n");
        html.Add($"<pre class=\"data\" tabindex=\"0\" role=\"region\" aria-labelledby=\"data\" dir=\"ltr\">{text:lines}</pre>\n<p>");
        if (!isWhole)
            html.Add($"This is the beginning of the data. ");
        return html.Add($"<a href=\"{href:exact}\">{link}</a></p>\n");
    }

    /// <summary>Begins a table, which scrolls where it is too wide, below a heading.</summary>
    /// <param name="heading">The id of the heading.</param>
    /// <param name="columns">What is in each column.</param>
    public static Html BeginTable(this Html html, string heading, params ReadOnlySpan<string> columns)
    {
        html.Add($"<div class=\"scroll\" role=\"region\" aria-labelledby=\"{heading}\" tabindex=\"0\">\n<table>\n<thead><tr>");
        foreach (var column in columns)
            html.Add($"<th scope=\"col\">{column}</th>");
        return html.Add($"</tr></thead>\n<tbody>\n");
    }

    public static Html EndTable(this Html html) => html.Add($"</tbody>\n</table>\n</div>\n");

    /// <summary>Adds a form that finds what begins with a text.</summary>
    /// <param name="action">The address of the page.</param>
    /// <param name="what">What is found, in the plural.</param>
    public static Html FindByStart(this Html html, string action, string what, string field, string label, string start)
    {
        html.Add($"<form method=\"get\" action=\"{action}\" role=\"search\" aria-label=\"Find {what}\">\n");
        html.Add($"<p><label for=\"{field}\">{label}</label>\n<input id=\"{field}\" name=\"{field}\" type=\"text\" value=\"{start:exact}\" ");
        html.Add($"autocomplete=\"off\" autocapitalize=\"none\" spellcheck=\"false\"></p>\n");
        return html.Add($"<p class=\"do\"><button>Find</button> <a href=\"{action}\">Show all</a></p>\n</form>\n");
    }

    /// <summary>Adds the first tags of something in a list.</summary>
    public static Html ShortTags(this Html html, IReadOnlyList<Tag> tags)
    {
        html.Add($"<ul class=\"tags\">");
        foreach (var tag in tags.Take(EventRow.TagsMax))
            html.Add($"<li><bdi>{VisibleText.Cut(tag.ToString(), EventRow.TagLengthMax)}</bdi></li>");
        if (tags.Count > EventRow.TagsMax)
            html.Add($"<li>and {tags.Count - EventRow.TagsMax} more</li>");
        return html.Add($"</ul>");
    }

    public static string CountOfEvents(long count) => count == 1 ? "1 event" : FormattableString.Invariant($"{count:N0} events");

    public static Html Time(this Html html, DateTimeOffset time) =>
        html.Add($"<time datetime=\"{EventRow.ForMachines(time)}\">{EventRow.InWords(time)}</time>");

    private static void AddPlaces(Html html, PageRequest page, string? current)
    {
        html.Add($"<nav aria-label=\"Pages of the store\"><ul>\n");
        foreach (var (name, path) in page.Places)
        {
            html.Add($"<li><a href=\"{page.Root}{path}\"");
            if (name == current)
                html.Add($" aria-current=\"page\"");
            html.Add($">{name}</a></li>\n");
        }
        html.Add($"</ul></nav>\n");
    }
}
