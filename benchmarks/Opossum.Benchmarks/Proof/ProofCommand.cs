using System.CommandLine;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Proof;

/// <summary><c>proof</c>: what the proof of the history costs: appends, building the tree, and space.</summary>
internal static class ProofCommand
{
    // The targets.
    private const double LoneExtraMax = 0.02;
    private const double GroupedExtraMicrosecondsMax = 3;
    private const double EventsPerSecondMin = 200_000;
    private const double BytesPerEventMax = 33;

    // Writing a tile of 256 leaves takes a few calls; they are no calls of an append.
    private const double SystemCallsNoise = 0.1;

    public static Command Create()
    {
        var command =
            new Command("proof",
                "Measures what the proof of the history costs: lone and grouped appends to a store that keeps it and to one that does not, in turns, "
                    + "their system calls, and building the tree of a store that has events.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "proof");
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var (rounds, appends, events) = isShort ? (3, 50, 20_000) : (60, 200, 1_000_000);
        var report = new FigureReport("proof",
            $"What the proof of the history costs on {Machine.DescribeDisk(folder)}: medians and quartiles. Both stores append in turns, in {rounds} rounds; "
                + "the difference is that of the two turns of a round.",
            "", "without", "with", "difference", "target");

        var lone = await new ProofOfAppends(folder, "lone", appends, writers: 1).MeasureAsync(rounds, cancellationToken);
        var share = lone.Extra.Each(static round => round.Share);
        report.Row("lone append", FigureReport.Time(lone.Without), FigureReport.Time(lone.With), FigureReport.Percent(share),
            FigureReport.Target(Invariant($"at most {LoneExtraMax:P0}"), share.Median <= LoneExtraMax));
        var grouped = await new ProofOfAppends(folder, "grouped", appends, writers: 32).MeasureAsync(rounds, cancellationToken);
        var extra = grouped.Extra.Each(static round => round.Microseconds);
        report.Row("an event of 32 concurrent appends", FigureReport.Time(grouped.Without), FigureReport.Time(grouped.With), FigureReport.Time(extra), "");
        var processor = await new ProofOfAppends(folder, "processor", appends, writers: 32, isInMemory: true).MeasureAsync(rounds, cancellationToken);
        var more = processor.Extra.Each(static round => round.Microseconds);
        report.Row("processor time of such an event, in memory", FigureReport.Time(processor.Without), FigureReport.Time(processor.With),
            FigureReport.Time(more), FigureReport.Target(Invariant($"at most {GroupedExtraMicrosecondsMax} µs"), more.Median <= GroupedExtraMicrosecondsMax));
        if (await SystemCalls.OfProofAsync(folder.Path, cancellationToken) is var (without, with))
        {
            report.Row("system calls of a lone append", Number.Plain(without), Number.Plain(with), Number.Plain(with - without),
                FigureReport.Target("none", with - without < SystemCallsNoise));
        }

        var built = await ProofOfBuild.MeasureAsync(folder, events, cancellationToken);
        var (rate, bytes) = (built.Events / built.Time.TotalSeconds, (double)built.Bytes / built.Events);
        report.Row($"building the tree of {Number.Whole(built.Events)} events", "", $"{Number.Whole(rate)} events/s", "",
            FigureReport.Target(Invariant($"at least {EventsPerSecondMin:N0}"), rate >= EventsPerSecondMin));
        report.Row("files of the tree", "", $"{Number.Plain(bytes)} bytes an event", "",
            FigureReport.Target(Invariant($"at most {BytesPerEventMax}"), bytes <= BytesPerEventMax));
        report.Publish(arguments.GetValue(CommonOptions.Output));
        return 0;
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
