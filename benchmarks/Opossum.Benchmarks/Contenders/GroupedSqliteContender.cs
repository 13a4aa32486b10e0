using System.Threading.Channels;

namespace Opossum.Benchmarks.Contenders;

/// <summary>
/// The same, with an app that groups concurrent appends: one task takes all waiting appends, evaluates and inserts them in one transaction,
/// and reports to each.
/// </summary>
internal sealed class GroupedSqliteContender(string folder, bool flush = true) : SqliteContender(folder, flush)
{
    private Channel<Append>? waiting;
    private Task? committing;

    public override string Name => ContenderName.GroupedSqlite;

    public override async Task OpenAsync()
    {
        await base.OpenAsync();
        waiting = Channel.CreateUnbounded<Append>(new UnboundedChannelOptions { SingleReader = true });
        committing = Task.Run(() => CommitAsync(waiting.Reader));
    }

    public override async Task CloseAsync()
    {
        waiting?.Writer.Complete();
        await (committing ?? Task.CompletedTask);
        (waiting, committing) = (null, null);
        await base.CloseAsync();
    }

    protected override Task<long?> TryInTurnAsync(NewEvent newEvent, Tag? failIfTag, long after)
    {
        var append = new Append(newEvent, failIfTag, after);
        if (waiting?.Writer.TryWrite(append) != true)
            throw new InvalidOperationException("The database is not open.");
        return append.Outcome.Task;
    }

    private async Task CommitAsync(ChannelReader<Append> appends)
    {
        var group = new List<Append>();
        while (await appends.WaitToReadAsync())
        {
            while (appends.TryRead(out var append))
                group.Add(append);
            Commit(group);
            group.Clear();
            // Callers that append again at once are in the next group.
            await Task.Yield();
        }
    }

    private void Commit(List<Append> group)
    {
        try
        {
            var positions = Connection.AppendGroup(group.ConvertAll(static each => (each.NewEvent, each.FailIfTag, each.After)));
            for (var at = 0; at < group.Count; at++)
                group[at].Outcome.SetResult(positions[at]);
        }
        catch (Exception e)
        {
            foreach (var append in group)
                append.Outcome.TrySetException(e);
        }
    }

    private sealed record Append(NewEvent NewEvent, Tag? FailIfTag, long After)
    {
        public TaskCompletionSource<long?> Outcome { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
