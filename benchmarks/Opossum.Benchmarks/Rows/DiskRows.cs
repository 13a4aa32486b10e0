using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Rows;

/// <summary>The device's flushes of appends, and the time that they take on kinds of disk.</summary>
internal static class DiskRows
{
    private const int Writers = 50;
    private const int Repeats = 10;

    private static readonly string[] contenders =
    [
        ContenderName.Opossum, ContenderName.OpossumWithJournal, ContenderName.RawFiles, ContenderName.RawLog, ContenderName.Sqlite,
        ContenderName.GroupedSqlite,
    ];

    /// <summary>Kinds of disk, each with the time of a flush that somebody published.</summary>
    public static IReadOnlyList<(string Name, double Milliseconds, string Source)> Kinds { get; } =
    [
        ("NVMe with power-loss protection", 0.137,
            "Intel PC-3700, [Percona](https://www.percona.com/blog/2019/09/19/update-on-fsync-performance/)"),
        ("NVMe without", 1.64,
            "Samsung 990 Pro, [T. Poder](https://tanelpoder.com/posts/using-pg-test-fsync-for-testing-low-latency-writes)"),
        ("SATA SSD", 1, "\"often lower than 1ms\", [etcd](https://etcd.io/docs/v3.6/op-guide/performance/)"),
        ("hard disk", 10, "\"about 10ms\", the same"),
    ];

    public static async Task MeasureAsync(RowRun run)
    {
        if (run.Folder.Device is null)
        {
            run.Report.Row(["not measured: the device is unknown", "", "", .. Kinds.Select(static _ => "")]);
            return;
        }
        await using var entrants = await run.OpenAsync("disks", contenders, static () => new EventFeed(1));
        var ungrouped = entrants.All.Where(static each => each.Name != ContenderName.GroupedSqlite);
        var measured = await run.MeasureQuietlyAsync(Repeats,
            ("alone", AppendRows.SlicesOf(ungrouped, static each => each.Alone(1))),
            ($"{Writers} at once", AppendRows.SlicesOf(entrants.All, static each => each.Concurrently(Writers, 1))),
            ("batch of 100", AppendRows.SlicesOf(ungrouped, static each => each.Batches(1))));
        foreach (var (measure, each) in measured)
        {
            run.Report.Row([measure, each.Contender, Number.Share(each.Flushes!.Value),
                .. Kinds.Select(kind => Number.Time(1_000 * kind.Milliseconds * each.Flushes.Value))]);
        }
        await entrants.VerifyAsync();
    }
}
