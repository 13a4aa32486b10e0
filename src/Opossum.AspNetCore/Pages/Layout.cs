namespace Opossum.AspNetCore.Pages;

/// <summary>What all pages have around their content.</summary>
internal static class Layout
{
    public const string Events = "Events";
    public const string Projections = "Projections";
    public const string Store = "Store";

    private static readonly (string Name, string Path)[] places = [(Events, ""), (Projections, "projections"), (Store, "store")];

    /// <summary>Begins a page.</summary>
    /// <param name="page">The request.</param>
    /// <param name="title">The page's title.</param>
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
            <nav aria-label="Pages of the store"><ul>

            """);
        foreach (var (placeName, path) in places)
        {
            html.Add($"<li><a href=\"{root}{path}\"");
            if (placeName == place)
                html.Add($" aria-current=\"page\"");
            html.Add($">{placeName}</a></li>\n");
        }
        return html.Add($"</ul></nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n");
    }

    public static Html End(this Html html) => html.Add($"</main>\n</body>\n</html>\n");

    /// <summary>Adds a term and its description.</summary>
    public static Html Describe(this Html html, string term, string? value) => html.Add($"<div><dt>{term}</dt><dd><bdi>{value}</bdi></dd></div>\n");

    public static Html Time(this Html html, DateTimeOffset time) =>
        html.Add($"<time datetime=\"{EventRow.ForMachines(time)}\">{EventRow.InWords(time)}</time>");
}
