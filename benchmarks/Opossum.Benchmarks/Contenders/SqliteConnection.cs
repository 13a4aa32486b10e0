using System.Text.Json;
using SQLitePCL;
using static SQLitePCL.raw;

namespace Opossum.Benchmarks.Contenders;

/// <summary>One connection to the SQLite database, with its prepared statements; used by one thread at a time.</summary>
internal sealed class SqliteConnection : IDisposable
{
    private const int CacheKibibytes = 64 * 1024;
    private const int BusyMs = 10_000;
    private const string Columns = "position, type, tags, timestamp, id, data";

    private readonly sqlite3 database;
    private readonly List<sqlite3_stmt> statements = [];
    private readonly sqlite3_stmt begin;
    private readonly sqlite3_stmt commit;
    private readonly sqlite3_stmt rollback;
    private readonly sqlite3_stmt insertEvent;
    private readonly sqlite3_stmt insertTag;
    private readonly sqlite3_stmt findTagAfter;
    private readonly sqlite3_stmt readHead;
    private readonly sqlite3_stmt readTag;
    private readonly sqlite3_stmt readType;
    private readonly sqlite3_stmt readAt;
    private readonly sqlite3_stmt readAll;
    private readonly sqlite3_stmt readAllBackwards;
    private bool typesAreIndexed;

    static SqliteConnection() => Batteries_V2.Init();

    /// <param name="path">The database.</param>
    /// <param name="flush">Whether a commit is flushed.</param>
    /// <param name="isOnShare">Whether machines share it: WAL needs memory that all of them see, so there is a journal that is rolled back.</param>
    /// <param name="fileSystem">The name of SQLite's file system; null for the usual one.</param>
    public SqliteConnection(string path, bool flush, bool isOnShare = false, string? fileSystem = null)
    {
        // Without SQLite's own mutex: no connection is used by two threads at once.
        Check(sqlite3_open_v2(path, out database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, fileSystem));
        Check(sqlite3_busy_timeout(database, BusyMs));
        Execute(isOnShare ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
        // Enough for all pages that the queries revisit.
        Execute($"PRAGMA cache_size = -{CacheKibibytes}");
        Execute(flush ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
        Execute("CREATE TABLE IF NOT EXISTS events (position INTEGER PRIMARY KEY, type TEXT NOT NULL, tags TEXT NOT NULL, timestamp INTEGER NOT "
            + "NULL, id BLOB NOT NULL, data BLOB NOT NULL)");
        Execute("CREATE TABLE IF NOT EXISTS tags (tag TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (tag, position)) WITHOUT ROWID");
        begin = Prepare("BEGIN IMMEDIATE");
        commit = Prepare("COMMIT");
        rollback = Prepare("ROLLBACK");
        insertEvent = Prepare("INSERT INTO events (type, tags, timestamp, id, data) VALUES (?, ?, ?, ?, ?)");
        insertTag = Prepare("INSERT INTO tags (tag, position) VALUES (?, ?)");
        findTagAfter = Prepare("SELECT 1 FROM tags WHERE tag = ? AND position > ? LIMIT 1");
        readHead = Prepare("SELECT max(position) FROM events");
        readTag =
            Prepare("SELECT e.position, e.type, e.tags, e.timestamp, e.id, e.data FROM tags t JOIN events e ON e.position = t.position WHERE "
                + "t.tag = ? ORDER BY t.position");
        readType = Prepare($"SELECT {Columns} FROM events WHERE type = ? ORDER BY position");
        readAt = Prepare($"SELECT {Columns} FROM events WHERE position = ?");
        readAll = Prepare($"SELECT {Columns} FROM events ORDER BY position");
        readAllBackwards = Prepare($"SELECT {Columns} FROM events ORDER BY position DESC");
    }

    public static string Version => sqlite3_libversion().utf8_to_string();

    /// <summary>Appends the events in one transaction; null, and nothing is appended, when an event with the tag came after the position.</summary>
    public long? TryAppend(IReadOnlyList<NewEvent> events, Tag? failIfTag = null, long after = 0)
    {
        Run(begin);
        if (failIfTag is { } tag && HasAfter(tag, after))
        {
            Run(rollback);
            return null;
        }
        var timestamp = DateTime.UtcNow.Ticks;
        var last = 0L;
        foreach (var each in events)
            last = Insert(each, timestamp);
        Run(commit);
        return last;
    }

    /// <summary>Appends the events in one transaction, each under its own condition; null for each that failed it.</summary>
    public long?[] AppendGroup(IReadOnlyList<(NewEvent NewEvent, Tag? FailIfTag, long After)> appends)
    {
        var positions = new long?[appends.Count];
        Run(begin);
        var timestamp = DateTime.UtcNow.Ticks;
        for (var at = 0; at < positions.Length; at++)
        {
            var (newEvent, failIfTag, after) = appends[at];
            if (failIfTag is not { } tag || !HasAfter(tag, after))
                positions[at] = Insert(newEvent, timestamp);
        }
        Run(commit);
        return positions;
    }

    public long ReadHead()
    {
        var head = Step(readHead) ? sqlite3_column_int64(readHead, 0) : 0;
        Reset(readHead);
        return head;
    }

    public ReadTotals Read(Wanted? wanted, PayloadAs payload, bool backwards)
    {
        var totals = default(ReadTotals);
        foreach (var statement in Rows(wanted, backwards))
        {
            var row = payload == PayloadAs.Bytes
                ? SqliteEvent.Of(statement, sqlite3_column_blob(statement, 5).ToArray(), null)
                : SqliteEvent.Of(statement, null, JsonSerializer.Deserialize(sqlite3_column_blob(statement, 5), PayloadJson.Default.PartMoved));
            totals = totals.With(row.Position, row.Json?.Length ?? row.Data!.Quantity);
        }
        return totals;
    }

    public Digest ReadBack()
    {
        var digest = default(Digest);
        foreach (var statement in Rows(wanted: null, backwards: false))
            digest = digest.With(sqlite3_column_blob(statement, 5));
        return digest;
    }

    /// <summary>
    /// Counts the events of each part and adds up their quantities in a table of its own, from where it was up to the last event, in one
    /// transaction.
    /// </summary>
    public void UpdateTallies(string table)
    {
        Execute($"CREATE TABLE IF NOT EXISTS {table} (part TEXT PRIMARY KEY, number INTEGER, amount INTEGER, position INTEGER) WITHOUT ROWID");
        Execute($"CREATE INDEX IF NOT EXISTS {table}_position ON {table} (position)");
        Execute($"INSERT INTO {table} SELECT json_extract(CAST(data AS TEXT), '$.part'), count(*), "
            + "sum(json_extract(CAST(data AS TEXT), '$.quantity')), max(position) FROM events "
            + $"WHERE position > (SELECT coalesce(max(position), 0) FROM {table}) GROUP BY 1 "
            + "ON CONFLICT (part) DO UPDATE SET number = number + excluded.number, amount = amount + excluded.amount, position = excluded.position");
    }

    /// <summary>What SQLite finds wrong with the database; "ok" for nothing.</summary>
    public string CheckIntegrity()
    {
        Check(sqlite3_prepare_v2(database, "PRAGMA integrity_check(1)", out var statement));
        using (statement)
            return Step(statement) ? sqlite3_column_text(statement, 0).utf8_to_string() : "";
    }

    public void Dispose()
    {
        statements.ForEach(static statement => statement.Dispose());
        database.Dispose();
    }

    private IEnumerable<sqlite3_stmt> Rows(Wanted? wanted, bool backwards)
    {
        var statement = wanted switch
        {
            { Tag: not null } => readTag,
            { Type: not null } => readType,
            { At: not null } => readAt,
            _ => backwards ? readAllBackwards : readAll,
        };
        if (wanted?.At is { } position)
            Check(sqlite3_bind_int64(statement, 1, position));
        else if (wanted is not null)
            Check(sqlite3_bind_text(statement, 1, wanted.Type ?? wanted.Tag.ToString()));
        if (wanted?.Type is not null && !typesAreIndexed)
        {
            // Only where types are read: an index costs each append.
            Execute("CREATE INDEX IF NOT EXISTS types ON events (type)");
            typesAreIndexed = true;
        }
        while (Step(statement))
            yield return statement;
        Reset(statement);
    }

    private bool HasAfter(Tag tag, long after)
    {
        Check(sqlite3_bind_text(findTagAfter, 1, tag.ToString()));
        Check(sqlite3_bind_int64(findTagAfter, 2, after));
        var isThere = Step(findTagAfter);
        Reset(findTagAfter);
        return isThere;
    }

    private long Insert(NewEvent newEvent, long timestamp)
    {
        Span<byte> id = stackalloc byte[16];
        newEvent.Id.TryWriteBytes(id);
        Check(sqlite3_bind_text(insertEvent, 1, newEvent.Type));
        Check(sqlite3_bind_text(insertEvent, 2, string.Join('\n', newEvent.Tags)));
        Check(sqlite3_bind_int64(insertEvent, 3, timestamp));
        Check(sqlite3_bind_blob(insertEvent, 4, id));
        Check(sqlite3_bind_blob(insertEvent, 5, newEvent.Json.Span));
        Run(insertEvent);
        var position = sqlite3_last_insert_rowid(database);
        foreach (var tag in newEvent.Tags)
        {
            Check(sqlite3_bind_text(insertTag, 1, tag.ToString()));
            Check(sqlite3_bind_int64(insertTag, 2, position));
            Run(insertTag);
        }
        return position;
    }

    private sqlite3_stmt Prepare(string sql)
    {
        Check(sqlite3_prepare_v2(database, sql, out var statement));
        statements.Add(statement);
        return statement;
    }

    private void Execute(string sql) => Check(sqlite3_exec(database, sql));

    private void Run(sqlite3_stmt statement)
    {
        Step(statement);
        Reset(statement);
    }

    private bool Step(sqlite3_stmt statement)
    {
        var result = sqlite3_step(statement);
        if (result is not (SQLITE_ROW or SQLITE_DONE))
            Check(result);
        return result == SQLITE_ROW;
    }

    private void Reset(sqlite3_stmt statement) => Check(sqlite3_reset(statement));

    private void Check(int result)
    {
        if (result != SQLITE_OK)
            throw new IOException($"SQLite: {sqlite3_errstr(result).utf8_to_string()} ({sqlite3_errmsg(database).utf8_to_string()}).");
    }
}
