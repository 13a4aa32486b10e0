namespace Opossum.AspNetCore.Pages;

/// <summary>A reaction with its parked, due and skipped events, each list page by page.</summary>
internal static class ReactionPage
{
    private const int TextLengthMax = 200;
    private const int ErrorLengthMax = 1_000;

    public static Html Create(PageRequest page, ReactionStatus status, ReactionPlace place, ListPart<ParkedEvent> parked,
        ListPart<ScheduledEvent> scheduled, ListPart<ParkedEvent> skipped)
    {
        var html = Layout.Begin(page, $"Reaction {status.Name}", Layout.Reactions);
        html.Add($"<h1>Reaction <bdi>{status.Name}</bdi></h1>\n").PageLinks("Reactions", ($"{page.Root}reactions", "All reactions"));
        html.Add($"<dl>\n").Describe("State", ReactionsPage.StateOf(status))
            .Describe("Position", FormattableString.Invariant($"{status.Position:N0}"))
            .Describe("Lag", Layout.CountOfEvents(status.Lag))
            .Describe("Open", ReactionsPage.Open(status))
            .Describe("Requests not carried out yet", FormattableString.Invariant($"{status.OpenRequests:N0}"));
        html.Add($"</dl>\n");
        if (ReactionsPage.ErrorOf(status) is { } error)
            html.Add($"<h2>Problem</h2>\n<p class=\"problem\">{error:lines}</p>\n");

        AddList(html, page, "Parked events", status.Parked.Count, parked, each => AddParked(html, page, status.Name, each), "No event is parked.",
            place.Parked > 0 ? place with { Parked = 0 } : null,
            parked.HasNext ? place with { Parked = parked.Rows[^1].Position } : null);
        AddList(html, page, "Due events", status.Scheduled, scheduled, each => AddScheduled(html, page, each), "No event is scheduled.",
            place.Scheduled.Length > 0 ? place with { Scheduled = "" } : null,
            scheduled.HasNext ? place with { Scheduled = scheduled.Rows[^1].Name } : null);
        AddList(html, page, "Skipped events", status.Skipped.Count, skipped, each => AddSkipped(html, page, each), "No event was skipped.",
            place.Skipped > 0 ? place with { Skipped = 0 } : null,
            skipped.HasNext ? place with { Skipped = skipped.Rows[^1].Position } : null);
        return html.End();
    }

    private static void AddList<T>(Html html, PageRequest page, string title, long total, ListPart<T> part, Action<T> add, string none,
        ReactionPlace? first, ReactionPlace? next)
    {
        html.Add($"<h2>{title} ({total:N0})</h2>\n");
        if (part.Rows.Count == 0)
            html.Add($"<p>{(first is null ? none : "There are no further ones.")}</p>\n");
        else
            html.Add($"<ol class=\"events\" aria-label=\"{title}\">\n");
        foreach (var row in part.Rows)
            add(row);
        if (part.Rows.Count > 0)
            html.Add($"</ol>\n");
        if (first is null && next is null)
            return;
        var events = title.ToLowerInvariant();
        html.PageLinks($"Pages of {events}", (first is null ? null : page.Root + first.Path, $"First {events}"),
            (next is null ? null : page.Root + next.Path, $"Next {events}"));
    }

    private static void AddParked(Html html, PageRequest page, string name, ParkedEvent parked)
    {
        AddEvent(html, page, parked.Position, parked.Type);
        AddKey(html, parked.Key, parked.KeyWaits ? ", whose further events wait" : "");
        if (parked.ParkedAt is { } at)
            html.Add($"<span>parked ").Time(at).Add($" UTC</span>\n");
        if (parked.Attempts is [var first, .., var last])
            html.Add($"<span>attempt {last.Number} failed last, the first failure ").Time(first.EndedAt).Add($" UTC</span>\n");
        else if (parked.Attempts is [var only])
            html.Add($"<span>attempt {only.Number} failed</span>\n");
        if (parked.Attempts is [.., var failed])
            html.Add($"<p class=\"problem\">{VisibleText.Cut(WithoutStack(failed.Error), ErrorLengthMax):lines}</p>");
        AddActions(html, page, name, parked.Position);
        AddEnd(html, parked.Problem);
    }

    private static void AddActions(Html html, PageRequest page, string name, long position)
    {
        var path = ReactionRequests.PathOf(name);
        ActionForm.Add(html, page, $"{path}/retry", FormattableString.Invariant($"Retry event {position}"), position);
        ActionForm.Add(html, page, $"{path}/skip", FormattableString.Invariant($"Skip event {position}"), position, asksWhy: true);
    }

    private static void AddScheduled(Html html, PageRequest page, ScheduledEvent scheduled)
    {
        html.Add($"<li><strong class=\"event\"><bdi>{VisibleText.Cut(scheduled.Type, TextLengthMax)}</bdi></strong>\n<span>due ");
        html.Time(scheduled.When).Add($" UTC{(scheduled.IsConditional ? ", unless cancelled" : "")}</span>\n");
        if (scheduled.ScheduledBy > 0)
            html.Add($"<span>scheduled for <a href=\"{page.Root}events/{scheduled.ScheduledBy}\">event {scheduled.ScheduledBy}</a></span>\n");
        html.ShortTags(scheduled.Tags);
        AddEnd(html, scheduled.Problem);
    }

    private static void AddSkipped(Html html, PageRequest page, ParkedEvent skipped)
    {
        AddEvent(html, page, skipped.Position, skipped.Type);
        AddKey(html, skipped.Key, "");
        if (skipped.SkippedAt is { } at)
            html.Add($"<span>skipped ").Time(at).Add($" UTC</span>\n");
        html.Add($"<p><bdi>{VisibleText.Cut((skipped.SkipReason ?? "").ReplaceLineEndings("\n"), ErrorLengthMax):lines}</bdi></p>");
        AddEnd(html, skipped.Problem);
    }

    private static void AddEvent(Html html, PageRequest page, long position, string type)
    {
        html.Add($"<li><a class=\"event\" href=\"{page.Root}events/{position}\">{position} ");
        html.Add($"<bdi>{VisibleText.Cut(type, TextLengthMax)}</bdi></a>\n");
    }

    private static void AddKey(Html html, string key, string what)
    {
        if (key.Length > 0)
            html.Add($"<span>key <bdi>{VisibleText.Cut(key, TextLengthMax)}</bdi>{what}</span>\n");
    }

    // opossum reactions parked shows all of it.
    private static string WithoutStack(string error) =>
        string.Join('\n', error.ReplaceLineEndings("\n").Split('\n').TakeWhile(static line => !line.StartsWith("   at ", StringComparison.Ordinal)));

    private static void AddEnd(Html html, string? problem)
    {
        if (problem is not null)
            html.Add($"<p class=\"problem\">{problem:lines}</p>");
        html.Add($"</li>\n");
    }
}
