namespace Opossum.AspNetCore.Pages;

/// <summary>Some states of a projection, in the order of their keys.</summary>
internal static class StatesPage
{
    private const int KeyLengthMax = 200;

    // What servers and proxies take as the first line of a request.
    private const int AddressLengthMax = 4_000;

    public static Html Create(PageRequest page, ProjectionStatus projection, string start, bool isFirst, StoredStatePage found)
    {
        var (root, name) = (page.Root, projection.Name);
        var html = Begin(page, projection);
        html.Add($"<h2>States</h2>\n").FindByStart($"{root}projections/{name}", "states", StateRequests.StartField, "Key starts with", start);
        html.Add($"<p>{Summary(projection, start, isFirst, found)}</p>\n<ol class=\"events\" aria-label=\"States\">\n");
        foreach (var state in found.States)
            AddRow(html, root, name, state);
        return html.Add($"</ol>\n").PageLinks("Pages of states",
            (isFirst ? null : root + StateRequests.PathOfPage(name, start, null), "First page"),
            (found.Next is { } next ? root + StateRequests.PathOfPage(name, start, next) : null, "Next page")).End();
    }

    /// <summary>The page of a projection whose states cannot be shown.</summary>
    /// <param name="why">Why, as a sentence.</param>
    public static Html Create(PageRequest page, ProjectionStatus projection, string why) =>
        Begin(page, projection).Add($"<h2>States</h2>\n<p>{why:lines}</p>\n").End();

    private static Html Begin(PageRequest page, ProjectionStatus projection)
    {
        var html = Layout.Begin(page, $"States of {projection.Name}", Layout.Projections);
        var path = $"projections/{projection.Name}";
        html.Add($"<h1>States of {projection.Name}</h1>\n<dl>\n");
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
        return html;
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
        html.Add($"<span>as of <a href=\"{root}events/{state.Position}\">event {state.Position}</a></span>\n");
        html.ShortTags(state.Tags).Add($"\n<code class=\"excerpt\" dir=\"ltr\">{EventRow.ExcerptOf(state.State)}</code></li>\n");
    }
}
