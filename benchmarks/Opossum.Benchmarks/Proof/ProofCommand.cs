using System.CommandLine;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Spectre.Console;

namespace Opossum.Benchmarks.Proof;

/// <summary><c>proof</c>: what the proof of the history costs: appends, building the tree, and space.</summary>
internal static class ProofCommand
{
    // The targets.
    private const double LoneExtraMax = 0.02;
    private const double GroupedExtraMicrosecondsMax = 3;
    private const double EventsPerSecondMin = 200_000;
    private const double BytesPerEventMax = 33;

    public static Command Create()
    {
        var command =
            new Command("proof",
                "Measures what the proof of the history costs: lone and grouped appends to a store that keeps it and to one that does not, in turns, "
                    + "their system calls, and building the tree of a store that has events.") { CommonOptions.Folder, CommonOptions.IsShort };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "proof");
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var table = new Table().AddColumns("", "without", "with", "difference", "target");

        var (rounds, appends) = isShort ? (3, 50) : (60, 200);
        var lone = await new ProofOfAppends(folder, "lone", appends, writers: 1).MeasureAsync(rounds, cancellationToken);
        table.AddRow("lone append", Time(lone.Without), Time(lone.With),
            Percent(lone.Extra.Each(static round => round.Share)), Invariant($"at most {LoneExtraMax:P0}"));
        var grouped = await new ProofOfAppends(folder, "grouped", appends, writers: 32).MeasureAsync(rounds, cancellationToken);
        table.AddRow("grouped event", Time(grouped.Without), Time(grouped.With),
            Time(grouped.Extra.Each(static round => round.Microseconds)), Invariant($"at most {GroupedExtraMicrosecondsMax} µs"));
        if (await SystemCalls.OfProofAsync(folder.Path, cancellationToken) is var (without, with))
        {
            table.AddRow("system calls of a lone append", Invariant($"{without:F2}"), Invariant($"{with:F2}"), Invariant($"{with - without:F2}"),
                "0");
        }

        var built = await ProofOfBuild.MeasureAsync(folder, isShort ? 20_000 : 1_000_000, cancellationToken);
        AnsiConsole.Write(table);
        AnsiConsole.WriteLine(Invariant(
            $"The tree of {built.Events:N0} events: {built.Events / built.Time.TotalSeconds:N0} events/s ")
            + Invariant($"(target: at least {EventsPerSecondMin:N0}), ")
            + Invariant($"{(double)built.Bytes / built.Events:F2} bytes an event in files (target: at most {BytesPerEventMax})."));
        return 0;
    }

    private static string Time(Distribution microseconds) =>
        Invariant($"{microseconds.Median:F2} µs ({microseconds.LowerQuartile:F2} to {microseconds.UpperQuartile:F2})");

    private static string Percent(Distribution share) => Invariant($"{share.Median:P1} ({share.LowerQuartile:P1} to {share.UpperQuartile:P1})");

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
