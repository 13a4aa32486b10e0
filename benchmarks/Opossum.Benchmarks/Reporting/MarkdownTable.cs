using System.Text;

namespace Opossum.Benchmarks.Reporting;

/// <summary>A table in Markdown, row by row.</summary>
internal sealed class MarkdownTable
{
    private readonly StringBuilder text = new();
    private readonly int columns;

    public MarkdownTable(params IReadOnlyList<string> headings)
    {
        columns = headings.Count;
        Row(headings);
        text.Append('|').Insert(text.Length, "---|", columns).Append('\n');
    }

    public void Row(params IReadOnlyList<string> cells)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(cells.Count, columns);
        text.Append("| ").AppendJoin(" | ", cells.Select(cell => cell.Replace("|", "\\|", StringComparison.Ordinal))).Append(" |\n");
    }

    public override string ToString() => text.ToString();
}
