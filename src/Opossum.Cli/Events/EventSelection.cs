namespace Opossum.Cli.Events;

/// <summary>The events that a command is about.</summary>
/// <param name="Query">The types and tags, which the index finds.</param>
/// <param name="Since">The earliest time; null: any.</param>
/// <param name="Until">The latest time; null: any.</param>
internal sealed record EventSelection(Query Query, DateTimeOffset? Since, DateTimeOffset? Until, IReadOnlyList<DataCondition> Where)
{
    /// <summary>Whether the conditions see personal data, which was opened with a master key; otherwise they see what is stored.</summary>
    public bool IsDecrypted { get; init; }

    public static Query QueryOf(IReadOnlyList<string> types, IReadOnlyList<string> tags) => types.Count + tags.Count == 0
        ? Query.All
        : Query.FromItems(new QueryItem { Types = types, Tags = [.. tags.Select(Tag.Parse)] });

    public bool Includes(SequencedEvent found)
    {
        if (found.Timestamp < Since || found.Timestamp > Until)
            return false;
        foreach (var condition in Where)
        {
            if (!condition.IsTrueOf(EventWriter.DataOf(found, IsDecrypted)))
                return false;
        }
        return true;
    }

    /// <summary>Whether the query alone selects them, so that no event has to be read to be left out.</summary>
    public bool IsQueryAlone => Since is null && Until is null && Where.Count == 0;
}
