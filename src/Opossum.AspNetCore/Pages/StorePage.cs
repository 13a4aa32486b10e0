namespace Opossum.AspNetCore.Pages;

/// <summary>What a store contains, and how it is.</summary>
internal static class StorePage
{
    public static Html Create(PageRequest page, StoreStatus status, StoreHealthReport health)
    {
        var html = Layout.Begin(page, Layout.Store, Layout.Store);
        html.Add($"<h1>Store</h1>\n<h2>Health</h2>\n");
        html.Health(health.Status, health.Description).Add($"<dl>\n");
        html.Describe("Folder", status.Path)
            .Describe("Id", status.Id?.ToString())
            .Describe("Last position", FormattableString.Invariant($"{status.Head:N0}"))
            .Describe("File system", status.IsNetwork ? $"{status.FileSystem}, a network file system" : status.FileSystem)
            .Describe("Durability", status.FlushInWords)
            .Describe("Appends", Appends(status));
        if (status.EventsInJournal > 0)
            html.Describe("Journal", FormattableString.Invariant($"{status.EventsInJournal:N0} events, whose files follow"));
        html.Add($"</dl>\n");
        AddReplicas(html, health.Replicas);
        AddProof(html, status.Proof);
        AddTypes(html, status);
        AddTagKeys(html, status);
        return html.End();
    }

    private static string Appends(StoreStatus status) => status switch
    {
        { IsReadOnly: true } => "none: this process has opened the store for reading only",
        { Fault: { } fault } => $"none until the store is opened again: {fault}",
        _ => "accepted",
    };

    private static void AddReplicas(Html html, IReadOnlyList<IReadOnlyDictionary<string, object?>> replicas)
    {
        if (replicas.Count == 0)
            return;
        html.Add($"<h2>Replicas</h2>\n<dl>\n");
        foreach (var replica in replicas)
        {
            html.Add($"<div><dt><bdi>{(string?)replica["path"]}</bdi></dt><dd>");
            if (replica["head"] is long head)
            {
                html.Add($"up to position {head:N0}, {(long)replica["lag"]!:N0} events missing, {(long)replica["lagSeconds"]!:N0} s since it had ")
                    .Add($"every one or the host began, the store last seen at ").Time((DateTimeOffset)replica["seenAt"]!).Add($" UTC");
            }
            else
            {
                html.Add($"no step has ended since the start");
            }
            EndFact(html, (string?)replica["problem"]);
        }
        html.Add($"</dl>\n");
    }

    private static void AddProof(Html html, ProofStatus? proof)
    {
        if (proof is null)
            return;
        html.Add($"<h2>Proof</h2>\n<dl>\n");
        AddCheckpoint(html, "Last checkpoint", proof.CheckpointPosition, proof.CheckpointTime, "none was written yet", proof.Problem);
        foreach (var witness in proof.Witnesses)
        {
            AddCheckpoint(html, $"Witness {witness.Folder}", witness.Position, witness.Time,
                "no checkpoint is known since the store was opened", witness.Problem);
        }
        html.Add($"</dl>\n");
    }

    private static void AddCheckpoint(Html html, string term, long? position, DateTimeOffset? time, string none, string? problem)
    {
        html.Add($"<div><dt><bdi>{term}</bdi></dt><dd>");
        if (position is { } covered && time is { } written)
            html.Add($"up to position {covered:N0}, ").Time(written).Add($" UTC");
        else
            html.Add($"{none}");
        EndFact(html, problem);
    }

    private static void EndFact(Html html, string? problem)
    {
        if (problem is not null)
            html.Add($"<br><span class=\"problem\">{problem:lines}</span>");
        html.Add($"</dd></div>\n");
    }

    private static void AddTypes(Html html, StoreStatus status)
    {
        html.Add($"<h2 id=\"types\">Event types</h2>\n").BeginTable("types", "Type", "Events");
        foreach (var type in status.EventTypes)
        {
            var link = new EventFilter { Type = type.EventType }.Link();
            html.Add($"<tr><th scope=\"row\"><a href=\"./{link:exact}\"><bdi>{type.EventType}</bdi></a></th>");
            html.Add($"<td class=\"number\">{type.Events:N0}</td></tr>\n");
        }
        html.EndTable();
        AddRest(html, status.EventTypesTotal, status.EventTypes.Count);
    }

    private static void AddTagKeys(Html html, StoreStatus status)
    {
        html.Add($"<h2 id=\"keys\">Tags</h2>\n").BeginTable("keys", "Key", "Events", "Values");
        foreach (var key in status.TagKeys)
        {
            html.Add($"<tr><th scope=\"row\"><bdi>{key.Key}</bdi></th><td class=\"number\">{key.Events:N0}</td>");
            html.Add($"<td class=\"number\">{key.Values:N0}</td></tr>\n");
        }
        html.EndTable();
        AddRest(html, status.TagKeysTotal, status.TagKeys.Count);
    }

    private static void AddRest(Html html, int total, int listed)
    {
        if (total > listed)
            html.Add($"<p>These are the most frequent {listed:N0} of {total:N0}.</p>\n");
    }
}
