using System.CommandLine;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Steady;

/// <summary><c>steady</c>: how long appends wait at a given rate, and in batches without a pause, while the store works behind them.</summary>
internal static class SteadyCommand
{
    public static Command Create()
    {
        var command =
            new Command("steady",
                "Measures how long appends wait: 50 producers at 200, 1,000 and 3,000 events a second, each append from the instant at which it was due; "
                    + "and batches of 100, one after another. Beside SQLite and a loop that makes such files.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output, CommonOptions.Loop,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var parent = arguments.GetRequiredValue(CommonOptions.Folder).FullName;
        using var volume = arguments.GetValue(CommonOptions.Loop) is { } kind ? await LoopVolume.MountAsync(parent, kind, cancellationToken) : null;
        using var folder = WorkFolder.CreateNew(volume?.MountPoint ?? parent, "steady");
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var report = new FigureReport(volume is null ? "steady-in-folder" : "steady",
            $"How long appends wait on {Machine.DescribeDisk(folder)}. At a rate: 50 producers, 12 s after 2 s that do not count, each append from "
                + "the instant at which it was due. Batches of 100: 15 s, one after another.",
            "measure", "contender", "median", "mean", "p95", "p99", "p99.9", "longest", "target");
        await new SteadyRate(folder, report, isShort, cancellationToken).RunAsync();
        await new SteadyBatches(folder, report, isShort, cancellationToken).RunAsync();
        report.Publish(arguments.GetValue(CommonOptions.Output));
        return 0;
    }
}
