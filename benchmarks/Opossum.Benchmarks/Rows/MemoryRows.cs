using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Rows;

/// <summary>The memory of processes that append.</summary>
internal static class MemoryRows
{
    private static readonly int[] appenders = [1, 10, 50, 100];
    private static readonly string[] contenders =
    [
        ContenderName.Opossum, ContenderName.OpossumWithJournal, ContenderName.RawFiles, ContenderName.Sqlite,
        ContenderName.GroupedSqlite,
    ];

    public static async Task MeasureAsync(RowRun run)
    {
        var events = run.Size(5_000, 200);
        foreach (var count in appenders.Where(count => !run.IsShort || count == appenders[^1]))
        {
            foreach (var name in contenders.Where(name => count > 1 || name != ContenderName.GroupedSqlite))
            {
                var memory = await MeasureAsync(run, name, count, events);
                run.Report.Row(Number.Whole(count), name, Mebibytes(memory.ResidentMax), Mebibytes(memory.Held),
                    $"{Number.Plain(memory.Allocated / (double)events / 1_000)} KB");
            }
        }
    }

    private static async Task<AppendMemory> MeasureAsync(RowRun run, string contender, int appenders, int events)
    {
        string[] command = OwnProgram.Command("append", contender, nameof(AppendWay.Concurrently),
            run.Folder.Below($"{appenders}-{contender}"), Text(events / appenders), Text(appenders));
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true };
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync(run.CancellationToken);
        await process.WaitForExitAsync(run.CancellationToken);
        return process.ExitCode == 0
            ? AppendMemory.Parse(output)
            : throw new CannotMeasureException($"The process of {contender} ended with {process.ExitCode}.");
    }

    private static string Mebibytes(long bytes) => $"{Number.Plain(bytes / (double)(1 << 20))} MiB";

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
