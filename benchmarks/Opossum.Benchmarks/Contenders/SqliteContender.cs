namespace Opossum.Benchmarks.Contenders;

/// <summary>
/// An event store on SQLite, built for one process as SQLite's documentation recommends: write-ahead log, synchronous=FULL, one connection
/// with prepared statements, used by one writer at a time; condition and inserts in one transaction.
/// </summary>
internal class SqliteContender(string folder, bool flush = true, bool isOnShare = false) : IStoreContender
{
    private readonly SemaphoreSlim turn = new(1);
    private SqliteConnection? connection;
    private long last;

    public virtual string Name => isOnShare ? ContenderName.SqliteOnShare : ContenderName.Sqlite;

    protected SqliteConnection Connection => connection ?? throw new InvalidOperationException("The database is not open.");

    public virtual Task OpenAsync()
    {
        Directory.CreateDirectory(folder);
        connection = new SqliteConnection(Path.Combine(folder, "events.db"), flush, isOnShare);
        last = connection.ReadHead();
        return Task.CompletedTask;
    }

    public virtual Task CloseAsync()
    {
        connection?.Dispose();
        connection = null;
        return Task.CompletedTask;
    }

    public async Task AppendAloneAsync(IReadOnlyList<NewEvent> events) => last = await AppendEachAsync(events, underCondition: false, Try);

    public async Task AppendAloneUnderConditionAsync(IReadOnlyList<NewEvent> events) =>
        last = await AppendEachAsync(events, underCondition: true, Try);

    public Task AppendTogetherAsync(IReadOnlyList<NewEvent> events)
    {
        last = Connection.TryAppend(events)!.Value;
        return Task.CompletedTask;
    }

    public Task AppendConcurrentlyAsync(IReadOnlyList<NewEvent[]> writers) => AppendByAllAsync(writers, underCondition: false);

    public Task AppendConcurrentlyUnderConditionAsync(IReadOnlyList<NewEvent[]> writers) => AppendByAllAsync(writers, underCondition: true);

    public Task<ReadTotals> ReadAsync(Wanted? wanted, PayloadAs payload, bool backwards = false) =>
        Task.FromResult(Connection.Read(wanted, payload, backwards));

    /// <inheritdoc cref="SqliteConnection.UpdateTallies"/>
    public void UpdateTallies(string table) => Connection.UpdateTallies(table);

    public Task AppendOneAsync(NewEvent newEvent) => TryInTurnAsync(newEvent, failIfTag: null, after: 0);

    public Task<Digest> ReadBackAsync() => Task.FromResult(Connection.ReadBack());

    public async ValueTask DisposeAsync()
    {
        await CloseAsync();
        turn.Dispose();
    }

    /// <summary>Appends an event when no other writer does; null: an event with the tag came after the position.</summary>
    protected virtual async Task<long?> TryInTurnAsync(NewEvent newEvent, Tag? failIfTag, long after)
    {
        await turn.WaitAsync();
        try
        {
            return Connection.TryAppend([newEvent], failIfTag, after);
        }
        finally
        {
            turn.Release();
        }
    }

    private Task<long?> Try(NewEvent newEvent, Tag? failIfTag, long after) => Task.FromResult(Connection.TryAppend([newEvent], failIfTag, after));

    private async Task AppendByAllAsync(IReadOnlyList<NewEvent[]> writers, bool underCondition)
    {
        await Task.WhenAll(writers.Select(events => Task.Run(() => AppendEachAsync(events, underCondition, TryInTurnAsync))));
        last = Connection.ReadHead();
    }

    private async Task<long> AppendEachAsync(IReadOnlyList<NewEvent> events, bool underCondition, Func<NewEvent, Tag?, long, Task<long?>> tryAppend)
    {
        var known = last;
        foreach (var each in events)
        {
            known = await tryAppend(each, underCondition ? each.Tags[0] : null, known)
                ?? throw new IOException($"SQLite: an event with the tag {each.Tags[0]} came after position {known}.");
        }
        return known;
    }
}
