using System.CommandLine;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Finds where two copies of a store part.</summary>
internal sealed class DiffCommand : StoreCommand
{
    private readonly Argument<string> other = new("other") { Description = "The other store's folder" };

    public DiffCommand(Terminal terminal)
        : base(terminal, "diff", "Find where two copies of a store part; compares every event",
            "opossum diff sales backup",
            "opossum diff sales backup --json")
        => Add(other);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var (pathA, pathB) = (StoreOf(arguments), arguments.GetRequiredValue(other));
        await using var a = await StorePath.OpenForReadingAsync(pathA, Terminal, cancellationToken).ConfigureAwait(false);
        await using var b = await StorePath.OpenForReadingAsync(pathB, Terminal, cancellationToken).ConfigureAwait(false);
        var comparison = new StoreComparison(a, b);
        var report = await ProgressDisplay.RunAsync(Terminal, progress => comparison.RunAsync(progress, cancellationToken)).ConfigureAwait(false);
        return Write(arguments, report, found => WriteText(found, pathA, pathB), report.IsSame ? ExitCode.Ok : ExitCode.Negative);
    }

    private void WriteText(DiffReport report, string a, string b)
    {
        if (report.IsSame)
        {
            Terminal.Out.WriteLine($"The same {Text.Count(report.HeadA, "event")}.");
            return;
        }
        Terminal.Out.WriteLine(report.SameUpTo == 0 ? "Different from the first event on." : $"The same up to position {Text.Of(report.SameUpTo)}.");
        if (report.Different.Count > 0)
        {
            Terminal.Out.WriteLine($"Position {Text.Of(report.SameUpTo + 1)} differs in {string.Join(", ", report.Different)}:");
            var events = new Columns(Terminal, Column.Dim, Column.Words, Column.Words, Column.Words);
            Add(events, a, report.A!);
            Add(events, b, report.B!);
            events.Write("  ");
        }
        foreach (var (path, head, end) in new[] { (a, report.HeadA, report.HeadB), (b, report.HeadB, report.HeadA) })
        {
            if (head > end)
                Terminal.Out.WriteLine($"{path} has {Text.Count(head - end, "event")} more, up to position {Text.Of(head)}.");
        }
    }

    private static void Add(Columns events, string path, DiffEvent found) =>
        events.Add(path, Text.Of(found.Timestamp), found.Type, found.Id.ToString());
}
