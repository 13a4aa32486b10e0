namespace Opossum.AspNetCore.Pages;

/// <summary>Finds the projections of a store: those that the app runs, and those whose states are in the store's folder.</summary>
internal static class ProjectionRows
{
    public static async Task<IReadOnlyList<ProjectionRow>> ReadAsync(IReadOnlyList<ProjectionRow> running, StoredProjections? stored,
        CancellationToken cancellationToken)
    {
        if (stored is null)
            return running;
        var names = await stored.ListAsync(cancellationToken).ConfigureAwait(false);
        var rows = running.Select(row => row with { HasStates = names.Contains(row.Name) }).ToList();
        foreach (var name in names.Except(running.Select(static row => row.Name)))
            rows.Add(await ReadAsync(stored, name, cancellationToken).ConfigureAwait(false));
        rows.Sort(static (one, other) => string.CompareOrdinal(one.Name, other.Name));
        return rows;
    }

    // One that cannot be read must not hide the others.
    private static async Task<ProjectionRow> ReadAsync(StoredProjections stored, string name, CancellationToken cancellationToken)
    {
        try
        {
            var found = await stored.GetAsync(name, cancellationToken).ConfigureAwait(false);
            return new ProjectionRow(name, "Not run by this app", found.Position, found.Head - found.Position, found.Version, IsLeader: false,
                found.Fault?.Error, HasStates: true);
        }
        catch (EventStoreException e)
        {
            return new ProjectionRow(name, "Not readable", 0, 0, 0, IsLeader: false, e.Message, HasStates: false);
        }
    }
}
