using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Rows;

/// <summary>Rows that are measured together: a section of RESULTS.md.</summary>
/// <param name="Name">The name for <c>--only</c>, and the end of the section's name.</param>
/// <param name="Introduction">What was measured.</param>
/// <param name="MeasureAsync">Measures and reports the rows.</param>
/// <param name="Headings">The columns.</param>
internal sealed record RowGroup(string Name, string Introduction, Func<RowRun, Task> MeasureAsync,
    params IReadOnlyList<string> Headings)
{
    private const string Grouped = $"""
        "{ContenderName.Sqlite}" makes one transaction of each append; "{ContenderName.GroupedSqlite}" makes one of all
        appends that wait.
        """;

    public static IReadOnlyList<RowGroup> All { get; } =
    [
        new("batches",
            $"""
            Times and flushes are of one event. {Grouped} For the grouped one each event of a batch is an append of its
            own, all at the same time.
            """,
            AppendRows.BatchesAsync, RowRun.Times),
        new("sizes",
            $"""
            Times and flushes are of one event, whose JSON has the given size. {Grouped}
            """,
            AppendRows.SizesAsync, RowRun.Times),
        new("decisions",
            $"""
            Reads the 20 events of a tag as objects, and appends one event under the condition that none with that tag
            came since. {Grouped} Raw files have no conditions.
            """,
            AppendRows.DecisionsAsync, RowRun.Times),
        new("types",
            """
            All events of a type, as bytes, from a store of 100,000 events; times are of the whole query. SQLite has an
            index on the type.
            """,
            ReadRows.TypesAsync, RowRun.Times),
        new("partitions",
            """
            A store with 20 events of each tag, in a row, and then stores of 100 tags with 20 events of each type,
            scattered, as in the tables of
            [node-event-storage](https://github.com/albe/node-event-storage/blob/main/docs/performance.md), which counts
            partitions and indexes; its figures are of its author's machine, for events of 108 bytes that it does not
            flush.
            """,
            ReadRows.PartitionsAsync, [.. RowRun.Times, "node-event-storage"]),
        new("opening",
            """
            A store that was closed properly is opened and read by one tag, of ten events; its files are in the system's
            cache. The last row counts what an opening with nothing to mend does.
            """,
            ReadRows.OpeningAsync, [.. RowRun.Times, "writes"]),
        new("projections",
            """
            States that count the events of each part and add up their quantities; a part has ten events. Built: from
            nothing until all events are in. More: the append, then until the running projection has it. SQLite has a
            table instead, which one statement brings up to date in a transaction; raw files are all read, and their
            states are flushed as one file.
            """,
            ProjectionRows.MeasureAsync, RowRun.Times),
        new("read-models",
            """
            A row of a table for each of 20,000 events, in SQLite with WAL and `synchronous = FULL`, in transactions of
            512 events, each with the projection's position. By Opossum: from the start of the host, which opens the
            store, until all events are in. By a loop: the same statements in the same transactions on one connection,
            without a store. The share is what Opossum has of the loop's rate.
            """,
            ReadModelRows.MeasureAsync, "by", "Opossum, events/s", "loop, events/s", "share",
            "Opossum, slowest to fastest"),
        new("memory",
            """
            Processes of their own, in which appenders append 5,000 events at the same time, each durable; the contender
            is still open when the objects in use are counted.
            """,
            MemoryRows.MeasureAsync, "appenders", "contender", "resident, at most", "objects in use",
            "allocated an event"),
        new("idle",
            """
            Processes of their own with nothing to do, for 30 s after 20 s: processor time a second, and threads, of which
            some 12 are the runtime's. Their looks for the events of other processes take place as ever.
            """,
            IdleRows.MeasureAsync, "process", "processor time a second", "threads", "target"),
        new("disks",
            $"""
            The device's flushes of one event, as the kernel counts them (field 16 of /sys/block/DEVICE/stat), and the
            time that they alone take where one takes so long:
            {DiskRows.Describe()}.
            Flushes that overlap count in full.
            """,
            DiskRows.MeasureAsync,
            ["measure", "contender", "flushes", .. DiskRows.Kinds.Select(static kind => kind.Name)]),
        new("replicas",
            """
            A replica, on the same disk if no other is named, kept by the process that appends. Appends: in turns of
            6 s, followed and not. Events a second: from the end of the append until a reader of the replica has the
            event. Catching up: the time of one event, of a store that has no replica yet. A replica reads back what it
            copied, so a copy that was compared is its yardstick beside the copy alone.
            """,
            ReplicaRows.MeasureAsync, RowRun.Spreads),
        new("rules",
            """
            A store of 1,000,000 events without a tag for their part, and then with a rule that makes one. Ten ids are
            of one millisecond.
            """,
            RuleRows.MeasureAsync, RowRun.Spreads),
        new("shares",
            """
            Two machines sell the same seats, in the same order: each takes a seat by an append under the condition that
            nobody has it. Opossum runs on the simulated share. SQLite runs in two processes on a local disk, without
            WAL, which needs memory that both machines see. Locks that reach only their own machine are those of a share
            mounted with `nobrl` or `nolock`: the simulated share's, and SQLite's own `unix-none`. Lost are seats whose
            append returned and that are not in the store. Round trips are those of a lone append while the other
            machine has the store open; SQLite's are its system calls, counted by strace, at the prices of the simulated
            share.
            """,
            ShareRows.MeasureAsync, "store", "locks", "seats", "sold", "sold twice", "lost", "errors",
            "round trips of an append"),
    ];
}
