namespace Opossum.AspNetCore.Pages;

/// <summary>The stores below a root, some at a time.</summary>
internal static class StoresPage
{
    public const string NameField = "name";
    public const string AfterField = "after";

    private const int RowsMax = 100;

    /// <param name="names">The names of all stores, in ordinal order.</param>
    /// <param name="after">The name after which the page begins; empty: at the first one.</param>
    /// <param name="health">The health of those that are open.</param>
    public static Html Create(PageRequest page, IReadOnlyList<string> names, string nameStart, string after, StoreHealthReport health)
    {
        var found = names.Where(name => name.StartsWith(nameStart, StringComparison.Ordinal)).ToList();
        var left = found.Where(name => string.CompareOrdinal(name, after) > 0).Take(RowsMax + 1).ToList();
        var html = Layout.Begin(page, "Stores", null);
        html.Add($"<h1>Stores</h1>\n");
        html.Health(health.Status, health.Description);
        if (health.Open is var (now, most))
            html.Add($"<p>Stores: {names.Count:N0}. Open: {now:N0}, at most {most:N0}. A store opens when you look at it.</p>\n");
        html.FindByStart("./", "stores", NameField, "Name starts with", nameStart);
        if (left.Count == 0)
            html.Add($"<p>{(names.Count == 0 ? "There is no store yet." : "No store has such a name here.")}</p>\n");
        html.Add($"<ul class=\"stores\" aria-label=\"Stores\">\n");
        foreach (var name in left.Take(RowsMax))
            html.Add($"<li><a href=\"{name:exact}/\">{name}</a></li>\n");
        return html.Add($"</ul>\n").PageLinks("Pages of stores",
            (after.Length > 0 ? Address(nameStart, "") : null, "First stores"),
            (left.Count > RowsMax ? Address(nameStart, left[RowsMax - 1]) : null, "Next stores")).End();
    }

    private static string Address(string nameStart, string after) =>
        $"./?{NameField}={Uri.EscapeDataString(nameStart)}&{AfterField}={Uri.EscapeDataString(after)}";
}
