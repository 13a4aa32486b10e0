namespace Opossum.AspNetCore.Pages;

/// <summary>Finds the reactions of a store: those that the app runs, and those that have begun in the store's folder.</summary>
internal static class ReactionRows
{
    public static async Task<IReadOnlyList<ReactionRow>> ReadAsync(IReadOnlyList<ReactionRow> running, StoredReactions? stored,
        CancellationToken cancellationToken)
    {
        if (stored is null)
            return running;
        var rows = running.ToDictionary(static row => row.Name, StringComparer.Ordinal);
        foreach (var name in await stored.ListAsync(cancellationToken).ConfigureAwait(false))
            rows[name] = await ReadAsync(stored, name, rows.GetValueOrDefault(name), cancellationToken).ConfigureAwait(false);
        return [.. rows.Values.OrderBy(static row => row.Name, StringComparer.Ordinal)];
    }

    /// <summary>Finds one that has begun in the store's folder. If it cannot be read, that hides no other.</summary>
    public static async Task<ReactionRow> ReadAsync(StoredReactions stored, string name, ReactionRow? running, CancellationToken cancellationToken)
    {
        try
        {
            var found = await stored.GetAsync(name, cancellationToken).ConfigureAwait(false);
            return running is null ? ReactionRow.Of(found) : running with { Stored = found };
        }
        catch (EventStoreException e)
        {
            return running ?? new ReactionRow(name, "Not readable", 0, 0, 0, 0, 0, e.Message);
        }
    }
}
