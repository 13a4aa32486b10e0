namespace Opossum.AspNetCore.Pages;

/// <summary>Shows what followed from what: each event below the event that caused it.</summary>
internal static class RelatedList
{
    private const int DepthMax = 20;
    private const int WidthFactor = 10;

    public static void Add(Html html, SequencedEvent e, RelatedEvents related)
    {
        html.Add($"<h2>What followed from what</h2>\n");
        if (related.Events.Count == 1)
        {
            html.Add($"<p>No event from position {related.First:N0} to {related.Last:N0} has the correlation or the trace of this one, caused it, ");
            html.Add($"or followed from it.</p>\n");
        }
        else
        {
            AddTree(html, e, related.Events);
            html.Add($"<p>{(related.IsWhole ? "These are all" : "These are the nearest")} ");
            html.Add($"from position {related.First:N0} to {related.Last:N0}.</p>\n");
        }
        if (related.CanWiden)
        {
            html.Add($"<p><a href=\"?{RelatedEvents.WidthField}={related.Width * WidthFactor}#related\" id=\"related\">Look at ");
            html.Add($"{related.Width * WidthFactor:N0} positions before and after</a></p>\n");
        }
    }

    private static void AddTree(Html html, SequencedEvent center, IReadOnlyList<RelatedEvent> events)
    {
        var byId = new Dictionary<Guid, RelatedEvent>();
        foreach (var each in events)
            byId.TryAdd(each.Id, each);
        // A cause comes before what follows from it; so metadata that claims otherwise makes no circle.
        var children = events.ToLookup(each =>
            each.Cause is { } cause && byId.TryGetValue(cause, out var found) && found.Position < each.Position ? found.Position : 0);
        AddLevel(html, center, children, 0, 0);
    }

    private static void AddLevel(Html html, SequencedEvent center, ILookup<long, RelatedEvent> children, long parent, int depth)
    {
        html.Add($"<ul class=\"related\">\n");
        foreach (var each in children[parent])
        {
            html.Add($"<li><a href=\"{each.Position}\"");
            if (each.Position == center.Position)
                html.Add($" aria-current=\"true\"");
            html.Add($">{each.Position} <bdi>{VisibleText.Cut(each.Type, EventRow.TagLengthMax)}</bdi></a> ").Time(each.Time);
            if (children[each.Position].Any())
            {
                if (depth < DepthMax)
                    AddLevel(html, center, children, each.Position, depth + 1);
                else
                    html.Add($" – more follows from it");
            }
            html.Add($"</li>\n");
        }
        html.Add($"</ul>\n");
    }
}
