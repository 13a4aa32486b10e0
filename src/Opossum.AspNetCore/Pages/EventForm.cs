namespace Opossum.AspNetCore.Pages;

/// <summary>The form that finds events. It sends itself as a query string, so that every result has an address.</summary>
internal static class EventForm
{
    public static void Add(Html html, EventFilter filter, StoreStatus? known)
    {
        // On a small screen the form is folded, so that the events are seen first; the style sheet unfolds it on a wide one.
        var isUsed = !filter.IsEmpty || filter.Errors.Count > 0;
        html.Add($"<details class=\"find\"{(isUsed ? " open" : "")}>\n<summary>Find events</summary>\n");
        html.Add($"<form method=\"get\" action=\"./\" role=\"search\" aria-label=\"Find events\">\n");
        AddField(html, filter, EventFilter.TypeField, "Type", "text", filter.Type, "types");
        // The tags that are chosen stay; the field adds one.
        var wrongTag = filter.Errors.ContainsKey(EventFilter.TagField) ? filter.Typed.GetValueOrDefault(EventFilter.TagField, "") : "";
        AddField(html, filter, EventFilter.TagField, filter.Tags.Count == 0 ? "Tag" : "Further tag", "text", wrongTag, "tags");
        AddField(html, filter, EventFilter.SinceField, "From time (UTC)", "datetime-local", Typed(filter, EventFilter.SinceField), null);
        AddField(html, filter, EventFilter.UntilField, "Up to time (UTC)", "datetime-local", Typed(filter, EventFilter.UntilField), null);
        AddField(html, filter, EventFilter.PositionField, "Up to position", "number", Typed(filter, EventFilter.PositionField), null);
        foreach (var tag in filter.Tags)
            html.Add($"<input type=\"hidden\" name=\"{EventFilter.TagField}\" value=\"{tag.ToString():exact}\">\n");
        html.Add($"<p class=\"do\"><button>Find</button> <a href=\"./\">Show all</a></p>\n</form>\n</details>\n");
        // These have no field: they come from the links between pages.
        foreach (var name in (string[])[EventFilter.BeforeField, EventFilter.AfterField])
        {
            if (filter.Errors.TryGetValue(name, out var error))
                html.Add($"<p class=\"problem\" role=\"alert\">{name}: {error}</p>\n");
        }
        AddSuggestions(html, known);
        AddChosenTags(html, filter);
    }

    private static string Typed(EventFilter filter, string field) => filter.Typed.GetValueOrDefault(field, "");

    private static void AddField(Html html, EventFilter filter, string name, string label, string kind, string value, string? list)
    {
        html.Add($"<p><label for=\"{name}\">{label}</label>\n<input id=\"{name}\" name=\"{name}\" type=\"{kind}\" value=\"{value:exact}\"");
        if (list is not null)
            html.Add($" list=\"{list}\" autocomplete=\"off\" autocapitalize=\"none\" spellcheck=\"false\"");
        if (kind == "number")
            html.Add($" min=\"1\" step=\"1\"");
        if (kind == "datetime-local")
            html.Add($" step=\"1\"");
        if (name == EventFilter.TagField)
            html.Add($" placeholder=\"key:value\"");
        if (filter.Errors.TryGetValue(name, out var error))
            html.Add($" aria-invalid=\"true\" aria-describedby=\"{name}-error\">\n<span class=\"problem\" id=\"{name}-error\">{error}</span></p>\n");
        else
            html.Add($"></p>\n");
    }

    private static void AddSuggestions(Html html, StoreStatus? known)
    {
        html.Add($"<datalist id=\"types\">");
        foreach (var type in known?.EventTypes ?? [])
            html.Add($"<option value=\"{type.EventType:exact}\">");
        html.Add($"</datalist>\n<datalist id=\"tags\">");
        foreach (var key in known?.TagKeys ?? [])
            html.Add($"<option value=\"{key.Key:exact}:\">");
        html.Add($"</datalist>\n");
    }

    private static void AddChosenTags(Html html, EventFilter filter)
    {
        if (filter.Tags.Count == 0)
            return;
        html.Add($"<ul class=\"tags chosen\" aria-label=\"Chosen tags\">\n");
        foreach (var tag in filter.Tags)
        {
            var text = VisibleText.Cut(tag.ToString(), EventRow.TagLengthMax);
            html.Add($"<li><a href=\"{filter.Without(tag).Link():exact}\" aria-label=\"Remove the tag {text}\"><bdi>{text}</bdi> ×</a></li>\n");
        }
        html.Add($"</ul>\n");
    }
}
