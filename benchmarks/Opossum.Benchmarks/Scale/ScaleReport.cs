using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Reporting;
using Spectre.Console;

namespace Opossum.Benchmarks.Scale;

/// <summary>The space, memory and times of a large store and its growth, as tables and plots.</summary>
internal sealed class ScaleReport(string disk, ScaleResult result, IReadOnlyList<ScaleStep> steps)
{
    private const double Mebibyte = 1 << 20;
    private const double SizeMax = 1.3;
    private const int FilesMax = 3_000;

    private IReadOnlyList<(string Name, string Value)> Facts =>
    [
        ("events", Number.Whole(result.Events)),
        ("all appends", $"{result.Filling.TotalSeconds:F0} s, {Number.Rate(result.Filling.TotalMicroseconds / result.Events)} events/s"),
        ("until the last event files are written and sealed, after it", $"{result.Following.TotalSeconds:F1} s"),
        ("all of it on the disk, in blocks of 4 KiB",
            $"{Number.Whole(result.Size.BytesOnDisk / Mebibyte)} MiB, {Number.Plain(result.Size.BytesOnDisk / (double)result.Events)} bytes an event, "
                + Against(SizeMax, result.Size.BytesOnDisk / (double)result.Size.CanonicalBytes)),
        ("files", $"{FigureReport.Target($"{Number.Whole(result.Size.Files)}, at most {Number.Whole(FilesMax)}", result.Size.Files <= FilesMax)}; "
            + $"at most {Number.Whole(result.FilesMax)} while it grew"),
        ("index files",
            $"{Number.Plain(result.IndexBytes / Mebibyte)} MiB, {Number.Plain(result.IndexBytes / (double)result.Events)} bytes an event"),
        ("memory of an open store",
            $"{Number.Plain(result.MemoryBytes / Mebibyte)} MiB, {Number.Plain(result.MemoryBytes / (double)result.Events)} bytes an event with "
                + "the texts of its tags"),
        ("opening it", Number.Time(result.Open.Median)),
        ($"{EventFeed.EventsPerMachine:N0} events by tag, bytes", Number.Time(result.LongQuery.Median)),
        ("full scan, bytes", $"{Number.Rate(result.Scan.Median)} events/s"),
        ("opening it without its index",
            $"{result.Rebuild.TotalSeconds:F1} s, {Number.Rate(result.Rebuild.TotalMicroseconds / result.Events)} events/s"),
    ];

    public void Print()
    {
        var table = new Table().AddColumns("", "");
        foreach (var (name, value) in Facts)
            table.AddRow(Markup.Escape(name), Markup.Escape(value));
        AnsiConsole.Write(table);
    }

    public void Write(ResultsFile file)
    {
        var facts = new MarkdownTable("", "");
        foreach (var (name, value) in Facts)
            facts.Row(name, value);
        var growth =
            new MarkdownTable("events", $"{Entrant.Writers} concurrent writers, an event", "events/s", "lone append", "quartiles", "10 events by tag",
                "memory");
        foreach (var step in steps)
        {
            growth.Row(
                Number.Whole(step.Events), Number.Time(step.Concurrent), Number.Rate(step.Concurrent), Number.Time(step.Lone.Median),
                $"{Number.Time(step.Lone.LowerQuartile)} – {Number.Time(step.Lone.UpperQuartile)}", Number.Time(step.Query.Median),
                $"{Number.Plain(step.MemoryBytes / Mebibyte)} MiB");
        }
        var concurrent =
            file.WritePlot("scale-concurrent", "Time of a concurrent append by size of the store",
                Plot($"An event of {Entrant.Writers} concurrent writers as the store grows, in µs", step => step.Concurrent));
        var lone =
            file.WritePlot("scale-lone", "Time of a lone append by size of the store",
                Plot("A lone append as the store grows, in µs (median)", step => step.Lone.Median));
        file.WriteSection("scale", $"""
            ## scale

            One store on {disk}, filled by durable appends with a journal, which sealed all folders but the newest meanwhile.

            {facts}
            As it grew; each line measures what came since the one before, and memory is that of the whole process:

            {growth}
            {concurrent}{lone}
            """);
    }

    private string Plot(string title, Func<ScaleStep, double> value) =>
        new LinePlot(title, "events in the store", [(ContenderName.Opossum, [.. steps.Select(step => ((double)step.Events, value(step)))])]).Draw();

    private static string Against(double target, double share) => FigureReport.Target(string.Create(CultureInfo.InvariantCulture,
        $"{share:F2} times their canonical JSON, at most {target}"), share <= target);
}
