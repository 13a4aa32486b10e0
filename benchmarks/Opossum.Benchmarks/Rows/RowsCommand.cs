using System.CommandLine;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Rows;

/// <summary><c>rows</c>: figures that people compare stores by, each group of them a section of RESULTS.md.</summary>
internal static class RowsCommand
{
    private static readonly Option<string[]> only = new("--only")
    {
        Description = $"Measures these groups only, and writes their sections: {string.Join(", ", RowGroup.All.Select(static each => each.Name))}. "
            + "Default: all.",
        AllowMultipleArgumentsPerToken = true,
    };

    public static Command Create()
    {
        only.AcceptOnlyFromAmong([.. RowGroup.All.Select(static each => each.Name)]);
        var command =
            new Command("rows",
                "Measures small batches, reads by type, sizes of events, decisions, projections, memory, many tags and types, flushes by kind of disk, "
                    + "and a share without locks, beside raw files and SQLite. Takes about 8 minutes.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output, CommonOptions.Loop, only,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var parent = arguments.GetRequiredValue(CommonOptions.Folder).FullName;
        using var volume = arguments.GetValue(CommonOptions.Loop) is { } kind ? await LoopVolume.MountAsync(parent, kind, cancellationToken) : null;
        foreach (var group in RowGroup.All.Where(each => arguments.GetValue(only) is not { Length: > 0 } names || names.Contains(each.Name)))
        {
            using var folder = WorkFolder.CreateNew(volume?.MountPoint ?? parent, $"rows-{group.Name}");
            var report = new FigureReport($"rows-{group.Name}", $"On {Machine.DescribeDisk(folder)}. {group.Introduction}", group.Headings);
            await group.MeasureAsync(new RowRun(folder, report, arguments.GetValue(CommonOptions.IsShort), cancellationToken));
            report.Publish(arguments.GetValue(CommonOptions.Output));
        }
        return 0;
    }
}
