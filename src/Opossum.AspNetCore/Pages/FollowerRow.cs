namespace Opossum.AspNetCore.Pages;

/// <summary>A projection or a reaction as a page shows it.</summary>
/// <param name="Status">Its status; null: it cannot be read.</param>
/// <param name="Error">Why it cannot be read; null: it can.</param>
internal sealed record FollowerRow<TStatus>(string Name, TStatus? Status, string? Error)
    where TStatus : class
{
    public static async Task<IReadOnlyList<FollowerRow<TStatus>>> ReadAsync(Task<IReadOnlyList<string>> names, Func<string, Task<TStatus>> read)
    {
        var rows = new List<FollowerRow<TStatus>>();
        foreach (var name in await names.ConfigureAwait(false))
        {
            try
            {
                rows.Add(new FollowerRow<TStatus>(name, await read(name).ConfigureAwait(false), Error: null));
            }
            catch (EventStoreException e)
            {
                // One that cannot be read must not hide the others.
                rows.Add(new FollowerRow<TStatus>(name, Status: null, e.Message));
            }
        }
        return rows;
    }
}
