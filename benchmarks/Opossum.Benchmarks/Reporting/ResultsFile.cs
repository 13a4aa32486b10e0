namespace Opossum.Benchmarks.Reporting;

/// <summary>RESULTS.md: each command replaces its own section and keeps the others and any handwritten text.</summary>
internal sealed class ResultsFile(string folder)
{
    private const string Heading = "# Results\n\nMeasured by `benchmarks/Opossum.Benchmarks`; each section names the command that wrote it.\n";
    private const string PlotsFolder = "plots";

    private readonly string path = Path.Combine(folder, "RESULTS.md");

    /// <summary>Writes a picture and returns the Markdown that shows it.</summary>
    public string WritePlot(string name, string description, string svg)
    {
        Directory.CreateDirectory(Path.Combine(folder, PlotsFolder));
        File.WriteAllText(Path.Combine(folder, PlotsFolder, name + ".svg"), svg);
        return $"![{description}]({PlotsFolder}/{name}.svg)\n";
    }

    /// <summary>Replaces the section written under this name, or adds it after all others.</summary>
    /// <param name="command">The command whose section it is.</param>
    /// <param name="markdown">The section with its heading.</param>
    public void WriteSection(string command, string markdown)
    {
        Directory.CreateDirectory(folder);
        var text = File.Exists(path) ? File.ReadAllText(path) : Heading;
        string begin = $"<!-- begin {command} -->\n", end = $"<!-- end {command} -->\n";
        var section = begin + markdown.TrimEnd() + "\n" + end;
        var from = text.IndexOf(begin, StringComparison.Ordinal);
        var to = text.IndexOf(end, StringComparison.Ordinal);
        text = from >= 0 && to > from ? text[..from] + section + text[(to + end.Length)..] : text.TrimEnd() + "\n\n" + section;
        File.WriteAllText(path, text);
    }
}
