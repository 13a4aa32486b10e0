using System.Runtime.ExceptionServices;

namespace Opossum.Benchmarks.Contenders;

/// <summary>
/// An event store on SQLite as it is mostly built: write-ahead log, synchronous=FULL, a table of events and one of tags with an index, condition
/// and inserts in one transaction. Writers at the same time have a thread and a connection each, with a busy timeout.
/// </summary>
internal sealed class SqliteContender(string folder, bool flush = true) : IStoreContender
{
    /// <summary>More writers than this share so many threads.</summary>
    public const int ThreadsMax = 50;

    private readonly List<SqliteConnection> connections = [];
    private long last;

    public string Name => ContenderName.Sqlite;

    private SqliteConnection First => connections.Count > 0 ? connections[0] : throw new InvalidOperationException("The database is not open.");

    public Task OpenAsync()
    {
        Directory.CreateDirectory(folder);
        connections.Add(Connect());
        last = First.ReadHead();
        return Task.CompletedTask;
    }

    public Task CloseAsync()
    {
        connections.ForEach(static connection => connection.Dispose());
        connections.Clear();
        return Task.CompletedTask;
    }

    public Task AppendAloneAsync(IReadOnlyList<NewEvent> events)
    {
        last = AppendEach(First, events, underCondition: false);
        return Task.CompletedTask;
    }

    public Task AppendAloneUnderConditionAsync(IReadOnlyList<NewEvent> events)
    {
        last = AppendEach(First, events, underCondition: true);
        return Task.CompletedTask;
    }

    public Task AppendTogetherAsync(IReadOnlyList<NewEvent> events)
    {
        last = First.TryAppend(events)!.Value;
        return Task.CompletedTask;
    }

    public Task AppendConcurrentlyAsync(IReadOnlyList<NewEvent[]> writers)
    {
        AppendByThreads(writers, underCondition: false);
        return Task.CompletedTask;
    }

    public Task AppendConcurrentlyUnderConditionAsync(IReadOnlyList<NewEvent[]> writers)
    {
        AppendByThreads(writers, underCondition: true);
        return Task.CompletedTask;
    }

    public Task<ReadTotals> ReadAsync(Tag? tag, PayloadAs payload, bool backwards = false) => Task.FromResult(First.Read(tag, payload, backwards));

    public Task<Digest> ReadBackAsync() => Task.FromResult(First.ReadBack());

    public ValueTask DisposeAsync() => new(CloseAsync());

    private SqliteConnection Connect() => new(Path.Combine(folder, "events.db"), flush);

    private void AppendByThreads(IReadOnlyList<NewEvent[]> writers, bool underCondition)
    {
        var threads = new Thread[Math.Min(writers.Count, ThreadsMax)];
        while (connections.Count < threads.Length)
            connections.Add(Connect());
        ExceptionDispatchInfo? failure = null;
        var next = -1;
        for (var at = 0; at < threads.Length; at++)
        {
            var connection = connections[at];
            threads[at] = new Thread(() =>
            {
                try
                {
                    for (var writer = Interlocked.Increment(ref next); writer < writers.Count; writer = Interlocked.Increment(ref next))
                        AppendEach(connection, writers[writer], underCondition);
                }
                catch (IOException e)
                {
                    failure = ExceptionDispatchInfo.Capture(e);
                }
            });
            threads[at].Start();
        }
        foreach (var thread in threads)
            thread.Join();
        failure?.Throw();
        last = First.ReadHead();
    }

    private long AppendEach(SqliteConnection connection, IReadOnlyList<NewEvent> events, bool underCondition)
    {
        var known = last;
        foreach (var each in events)
        {
            known = connection.TryAppend([each], underCondition ? each.Tags[0] : null, known)
                ?? throw new IOException($"SQLite: an event with the tag {each.Tags[0]} came after position {known}.");
        }
        return known;
    }
}
