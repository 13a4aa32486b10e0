using System.CommandLine;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Rows;

/// <summary><c>rows</c>: figures that people compare stores by, each group of them a section of RESULTS.md.</summary>
internal static class RowsCommand
{
    private static readonly Option<string[]> only = new("--only")
    {
        Description =
            $"Measures these groups only, and writes their sections: {string.Join(", ", Names)}. Default: all.",
        AllowMultipleArgumentsPerToken = true,
    };

    private static readonly Option<DirectoryInfo?> replicas = new("--replicas")
    {
        Validators = { CommonOptions.RefuseFile },
        Description = "Where replicas are made: a folder on another disk. Default: beside their stores.",
    };

    private static IEnumerable<string> Names => RowGroup.All.Select(static each => each.Name);

    public static Command Create()
    {
        only.AcceptOnlyFromAmong([.. Names]);
        var command =
            new Command("rows",
                "Measures small batches, sizes of events, decisions, reads by type, many tags and types, opening, "
                    + "projections, read models in a database, memory, idle processes, flushes by kind of disk, replicas, tag rules, "
                    + "and a share without locks, beside raw files and SQLite. Takes some 14 minutes.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output, CommonOptions.Loop, only, replicas,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var parent = arguments.GetRequiredValue(CommonOptions.Folder).FullName;
        var names = arguments.GetValue(only) is { Length: > 0 } some ? some : [.. Names];
        using var volume = arguments.GetValue(CommonOptions.Loop) is { } kind
            ? await LoopVolume.MountAsync(parent, kind, cancellationToken)
            : null;
        foreach (var group in RowGroup.All.Where(each => names.Contains(each.Name)))
        {
            using var folder = WorkFolder.CreateNew(volume?.MountPoint ?? parent, $"rows-{group.Name}");
            using var other = arguments.GetValue(replicas) is { } elsewhere ? WorkFolder.CreateNew(elsewhere.FullName, "rows-replicas") : null;
            var onOther = other is null ? "" : $" Replicas on {Machine.DescribeDisk(other)}.";
            var introduction = $"On {Machine.DescribeDisk(folder)}.{onOther} {group.Introduction}";
            var report = new FigureReport($"rows-{group.Name}", introduction, group.Headings);
            var isShort = arguments.GetValue(CommonOptions.IsShort);
            await group.MeasureAsync(new RowRun(folder, other ?? folder, report, isShort, cancellationToken));
            report.Publish(arguments.GetValue(CommonOptions.Output));
        }
        return 0;
    }
}
