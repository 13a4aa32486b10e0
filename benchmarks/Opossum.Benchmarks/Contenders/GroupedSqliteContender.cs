using System.Threading.Channels;

namespace Opossum.Benchmarks.Contenders;

/// <summary>
/// The same, where the app groups what it appends at the same time: one task takes all appends that wait, judges and inserts them in one
/// transaction, and reports to each.
/// </summary>
internal sealed class GroupedSqliteContender(string folder, bool flush = true) : SqliteContender(folder, flush)
{
    private readonly Channel<Append> waiting = Channel.CreateUnbounded<Append>(new UnboundedChannelOptions { SingleReader = true });
    private Task? committing;

    public override string Name => ContenderName.GroupedSqlite;

    protected override Task<long?> TryInTurnAsync(NewEvent newEvent, Tag? failIfTag, long after)
    {
        committing ??= Task.Run(CommitAsync);
        var append = new Append(newEvent, failIfTag, after);
        waiting.Writer.TryWrite(append);
        return append.Outcome.Task;
    }

    private async Task CommitAsync()
    {
        var group = new List<Append>();
        while (await waiting.Reader.WaitToReadAsync())
        {
            while (waiting.Reader.TryRead(out var append))
                group.Add(append);
            var positions = Connection.AppendGroup(group.ConvertAll(static each => (each.NewEvent, each.FailIfTag, each.After)));
            for (var at = 0; at < group.Count; at++)
                group[at].Outcome.SetResult(positions[at]);
            group.Clear();
            // Those who append again at once are in the next group.
            await Task.Yield();
        }
    }

    private sealed record Append(NewEvent NewEvent, Tag? FailIfTag, long After)
    {
        public TaskCompletionSource<long?> Outcome { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
