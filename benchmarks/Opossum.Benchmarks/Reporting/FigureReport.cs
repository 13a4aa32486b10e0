using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Spectre.Console;

namespace Opossum.Benchmarks.Reporting;

/// <summary>A command's figures as one table, for the console and for RESULTS.md.</summary>
/// <param name="command">The command that measured them; its section in RESULTS.md has this name.</param>
/// <param name="introduction">What was measured, and where.</param>
/// <param name="headings">The headings of the columns.</param>
internal sealed class FigureReport(string command, string introduction, params IReadOnlyList<string> headings)
{
    private readonly List<string[]> rows = [];

    /// <summary>A row; the cells that are not given are empty.</summary>
    public void Row(params IReadOnlyList<string> cells) =>
        rows.Add([.. cells, .. Enumerable.Repeat("", headings.Count - cells.Count)]);

    /// <summary>A target and whether a figure meets it.</summary>
    public static string Target(string text, bool isMet) => isMet ? $"{text}: met" : $"{text}: **missed**";

    /// <summary>The median and the quartiles of times in microseconds.</summary>
    public static string Time(Distribution microseconds) =>
        $"{Number.Time(microseconds.Median)} ({Number.Time(microseconds.LowerQuartile)} to {Number.Time(microseconds.UpperQuartile)})";

    /// <summary>The median and the quartiles of shares.</summary>
    public static string Percent(Distribution share) => string.Create(CultureInfo.InvariantCulture,
        $"{share.Median:P1} ({share.LowerQuartile:P1} to {share.UpperQuartile:P1})");

    /// <summary>Prints the table, and writes it to RESULTS.md of a folder when there is one.</summary>
    public void Publish(DirectoryInfo? output)
    {
        var table = new Table().AddColumns([.. headings]);
        foreach (var row in rows)
            table.AddRow([.. row.Select(static cell => Markup.Escape(cell.Replace("**", "", StringComparison.Ordinal)))]);
        AnsiConsole.Write(table);
        if (output is null)
            return;
        var markdown = new MarkdownTable(headings);
        foreach (var row in rows)
            markdown.Row(row);
        new ResultsFile(output.FullName).WriteSection(command, $"## {command}\n\n{introduction}\n\n{markdown}");
    }
}
