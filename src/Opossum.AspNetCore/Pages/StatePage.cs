namespace Opossum.AspNetCore.Pages;

/// <summary>The state of one key.</summary>
internal static class StatePage
{
    private const int TextLengthMax = 1_000;
    private const int ListedMax = 200;

    public static Html Create(PageRequest page, string name, ProjectionEntry<byte[]> state)
    {
        var root = page.Root;
        var key = VisibleText.Cut(state.Key, TextLengthMax);
        var html = Layout.Begin(page, $"State {key} of {name}", null);
        html.Add($"<h1>State <bdi>{key}</bdi></h1>\n").PageLinks("States", ($"{root}projections/{name}", $"All states of {name}"));
        html.Add($"<dl>\n<div><dt>Projection</dt><dd>{name}</dd></div>\n");
        html.Add($"<div><dt>Last event applied</dt><dd><a href=\"{root}events/{state.Position}\">{state.Position}</a></dd></div>\n");
        html.Describe("Size of the state", FormattableString.Invariant($"{state.State.Length:N0} bytes")).Add($"</dl>\n");
        if (state.Tags.Count > 0)
        {
            html.Add($"<h2>Tags</h2>\n<ul class=\"tags\">\n");
            foreach (var tag in state.Tags.Take(ListedMax))
                html.Add($"<li><bdi>{VisibleText.Cut(tag.ToString(), TextLengthMax)}</bdi></li>\n");
            if (state.Tags.Count > ListedMax)
                html.Add($"<li>and {state.Tags.Count - ListedMax} more, which the download contains</li>\n");
            html.Add($"</ul>\n");
        }
        html.Json("State", state.State, root + StateRequests.PathOf(name, state.Key, "state/download"), "Download the state as JSON");
        return html.End();
    }
}
