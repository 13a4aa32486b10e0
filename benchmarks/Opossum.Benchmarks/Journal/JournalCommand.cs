using System.CommandLine;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Journal;

/// <summary><c>journal</c>: appends with a journal beside those without, raw writes and SQLite.</summary>
internal static class JournalCommand
{
    public static Command Create()
    {
        var command =
            new Command("journal",
                "Measures a store with a journal beside one without, raw writes and SQLite: appends alone, at once and in batches, with the device's "
                    + "flushes; a burst; a minute at 30,000 events/s beside a loop that creates files alone; and the times of single appends on an assembly line.")
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
        using var folder = WorkFolder.CreateNew(volume?.MountPoint ?? parent, "journal");
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var report = new FigureReport(volume is null ? "journal-in-folder" : "journal",
            $"Appends with a journal on {Machine.DescribeDisk(folder)}, in turns with the others on the same disk: median and quartiles. In the "
                + "first rows the event files are written between the turns, so that each figure is of what an append waits for, unless they say otherwise; each "
                + "runs for 2 s for each contender before it is measured. Of the assembly line the first 10 s do not count.",
            "measure", "contender", "an event", "mean", "flushes an event", "target");
        await new JournalAppends(folder, report, isShort, cancellationToken).RunAsync();
        await new JournalLoad(folder, report, isShort, cancellationToken).RunAsync();
        await new JournalAssemblyLine(folder, report, isShort, cancellationToken).RunAsync();
        report.Publish(arguments.GetValue(CommonOptions.Output));
        return 0;
    }
}
