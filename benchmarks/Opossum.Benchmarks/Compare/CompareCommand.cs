using System.CommandLine;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;
using Spectre.Console;

namespace Opossum.Benchmarks.Compare;

/// <summary><c>compare</c>: Opossum beside raw loops and SQLite, on one disk or on several.</summary>
internal static class CompareCommand
{
    private const string StoresFolder = "opossum-compare-stores";

    private static readonly Option<string[]> loop = new("--loop")
    {
        Description = "Measures on file systems of these kinds as well, made in files below --dir and removed afterwards: ext4, xfs, or both "
            + "parted by a comma. On Linux, by root; takes up to 12 GB of room each.",
        CustomParser = result => [.. result.Tokens.SelectMany(token => token.Value.Split(','))],
        AllowMultipleArgumentsPerToken = true,
    };

    private static readonly Option<int?> events = new("--events")
    {
        Description = "How many events the store for reads has; the stores for conditions have a hundredth of it, as many, and ten times as many "
            + $"(twice with --short). Default: {CompareSettings.EventsDefault}; with --short {CompareSettings.EventsDefaultShort}.",
    };

    private static readonly Option<DirectoryInfo[]> folders = new("--dir")
    {
        Validators = { CommonOptions.RefuseFile },
        Description = "Where to measure: a folder on the disk in question; several for several disks. Default: the folder for temporary files.",
        DefaultValueFactory = _ => [new DirectoryInfo(Path.GetTempPath())],
    };

    private static readonly Option<bool> keep = new("--keep")
    {
        Description = $"Leaves the filled stores in the folder {StoresFolder} below --dir. A later run finds them there and is sooner done.",
    };

    public static Command Create()
    {
        loop.AcceptOnlyFromAmong([.. LoopVolume.Kinds, string.Join(',', LoopVolume.Kinds)]);
        events.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int?>() < 1000)
                result.AddError("--events needs 1000 at least.");
        });
        var command =
            new Command("compare",
                "Measures Opossum beside raw loops and SQLite, in turns on the same disk: appends, conditions, reads, opening, memory. Says which "
                    + "targets are met.")
        {
            folders, loop, events, keep, CommonOptions.IsShort, CommonOptions.Output,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var settings =
            new CompareSettings(arguments.GetValue(events)
                ?? (isShort ? CompareSettings.EventsDefaultShort : CompareSettings.EventsDefault), isShort);
        var results = new List<ComparisonResult>();
        var parents = arguments.GetRequiredValue(folders);
        foreach (var parent in parents)
            results.Add(await CompareAsync(parent.FullName, settings, arguments.GetValue(keep), cancellationToken));
        foreach (var kind in arguments.GetValue(loop) ?? [])
        {
            using var volume = await LoopVolume.MountAsync(parents[0].FullName, kind, cancellationToken);
            results.Add(await CompareAsync(volume.MountPoint, settings, keepsStores: false, cancellationToken));
        }
        foreach (var result in results)
            Print(result);
        if (arguments.GetValue(CommonOptions.Output) is { } output)
            new ComparisonReport(results).Write(new ResultsFile(output.FullName));
        return 0;
    }

    private static async Task<ComparisonResult> CompareAsync(string parent, CompareSettings settings, bool keepsStores,
        CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(parent, "compare");
        using var stores = new WorkFolder(parent, StoresFolder) { IsKept = keepsStores };
        AnsiConsole.WriteLine(Machine.DescribeDisk(folder));
        return await new Comparison(folder, stores, settings, cancellationToken).RunAsync();
    }

    private static void Print(ComparisonResult result)
    {
        var table = new Table().Title(Markup.Escape(result.Disk)).AddColumns("measure", "target", "measured", "");
        foreach (var target in new Targets(result).Judge())
        {
            table.AddRow(Markup.Escape(target.Measure), Markup.Escape(target.Wanted), Markup.Escape(target.Measured), target.IsMet == false
                ? "[bold]missed[/]"
                : Markup.Escape(target.Verdict));
        }

        AnsiConsole.Write(table);
    }
}
