using Opossum.Cli.Terminals;

namespace Opossum.Cli.Events;

/// <summary>Says when a type or a tag key is asked for that no event of the store has: it is probably mistyped.</summary>
internal static class UnknownNames
{
    /// <summary>Writes a line for each such name to the errors.</summary>
    public static async Task WriteAsync(FileSystemEventStore store, IReadOnlyList<string> types, IReadOnlyList<string> tags, Terminal terminal,
        CancellationToken cancellationToken)
    {
        if (types.Count + tags.Count == 0)
            return;
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        foreach (var type in types.Distinct())
        {
            if (!await HasAnyAsync(store, Query.FromEventTypes(type), cancellationToken).ConfigureAwait(false))
                Write(terminal, "event type", type, status.EventTypes.Select(static each => each.EventType));
        }
        // Only of the keys with the most events it is known which there are.
        foreach (var tag in status.TagKeysTotal > status.TagKeys.Count ? [] : tags.Select(Tag.Parse).DistinctBy(static tag => tag.Key))
        {
            if (!status.TagKeys.Any(each => each.Key == tag.Key))
                Write(terminal, "tag key", tag.Key, status.TagKeys.Select(static each => each.Key));
            else if (!tag.HasValue && !await HasAnyAsync(store, Query.FromTags(tag), cancellationToken).ConfigureAwait(false))
                terminal.Error.WriteLine($"No event has the tag {Text.Visible(tag.Key)} without a value. Write {Text.Visible(tag.Key)}:VALUE.");
        }
    }

    private static async Task<bool> HasAnyAsync(FileSystemEventStore store, Query query, CancellationToken cancellationToken)
    {
        await foreach (var _ in store.ReadAsync(query, new ReadOptions { Limit = 1 }, cancellationToken).ConfigureAwait(false))
            return true;
        return false;
    }

    private static void Write(Terminal terminal, string kind, string name, IEnumerable<string> known)
    {
        var near = UsageErrors.Nearest(name, known);
        terminal.Error.WriteLine($"No event has the {kind} {Text.Visible(name)}."
            + (near.Count > 0 ? $" Did you mean {Text.Visible(string.Join(" or ", near))}?" : ""));
    }
}
