namespace Opossum.AspNetCore.Pages;

/// <summary>The page of one event.</summary>
internal static class EventPage
{
    private const int TextLengthMax = 1_000;
    private const int ListedMax = 200;

    public static Html Create(PageRequest page, SequencedEvent e, long head, RelatedEvents related)
    {
        var root = page.Root;
        var title = FormattableString.Invariant($"Event {e.Position}");
        var html = Layout.Begin(page, title, null);
        html.Add($"<h1>{title} <bdi>{VisibleText.Cut(e.Type, TextLengthMax)}</bdi></h1>\n<nav class=\"pages\" aria-label=\"Events\"><ul>\n");
        if (e.Position < head)
            html.Add($"<li><a rel=\"next\" href=\"{e.Position + 1}\">Next event</a></li>\n");
        if (e.Position > 1)
            html.Add($"<li><a rel=\"prev\" href=\"{e.Position - 1}\">Previous event</a></li>\n");
        html.Add($"<li><a href=\"{root}?position={e.Position}\">In the list</a></li>\n</ul></nav>\n<dl>\n");

        var ofType = root + new EventFilter { Type = e.Type }.Link();
        html.Add($"<div><dt>Type</dt><dd><a href=\"{ofType:exact}\"><bdi>{VisibleText.Cut(e.Type, TextLengthMax)}</bdi></a>, ");
        html.Add($"version {e.Version}</dd></div>\n");
        html.Add($"<div><dt>Time</dt><dd>").Time(e.Timestamp).Add($" UTC</dd></div>\n");
        html.Describe("Id", e.Id.ToString());
        html.Describe("Size of the data", FormattableString.Invariant($"{e.StoredJson.Length:N0} bytes"));
        if (e.Condition is { } condition)
        {
            html.Describe("Condition", VisibleText.Cut(FormattableString.Invariant(
                $"no event after {condition.After} matches {condition.FailIfEventsMatch}"), TextLengthMax));
        }
        html.Add($"</dl>\n");
        AddTags(html, root, e);
        AddMetadata(html, e);
        html.Json("Data", e.StoredJson, FormattableString.Invariant($"{e.Position}/download"), "Download the event as JSON");
        RelatedList.Add(html, e, related);
        return html.End();
    }

    private static void AddTags(Html html, string root, SequencedEvent e)
    {
        if (e.Tags.Count == 0)
            return;
        html.Add($"<h2>Tags</h2>\n<ul class=\"tags\">\n");
        foreach (var tag in e.Tags.Take(ListedMax))
        {
            var withTag = root + new EventFilter { Tags = [tag] }.Link();
            html.Add($"<li><a href=\"{withTag:exact}\"><bdi>{VisibleText.Cut(tag.ToString(), TextLengthMax)}</bdi></a></li>\n");
        }
        if (e.Tags.Count > ListedMax)
            html.Add($"<li>and {e.Tags.Count - ListedMax} more, which the download contains</li>\n");
        html.Add($"</ul>\n");
    }

    private static void AddMetadata(Html html, SequencedEvent e)
    {
        if (e.Metadata.Count == 0)
            return;
        html.Add($"<h2>Metadata</h2>\n<dl>\n");
        foreach (var (name, value) in e.Metadata.Take(ListedMax))
            html.Describe(VisibleText.Cut(name, TextLengthMax), VisibleText.Cut(value, TextLengthMax));
        html.Add($"</dl>\n");
        if (e.Metadata.Count > ListedMax)
            html.Add($"<p>And {e.Metadata.Count - ListedMax} more, which the download contains.</p>\n");
    }
}
