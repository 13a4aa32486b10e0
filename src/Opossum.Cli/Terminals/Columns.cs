namespace Opossum.Cli.Terminals;

/// <summary>Rows in aligned columns, two spaces apart. On a screen the last column is cut where a line would wrap.</summary>
/// <remarks>Not Spectre's table: loading and running it takes longer than the rest of a short command; see decision 0025.</remarks>
internal sealed class Columns(Terminal terminal, params IReadOnlyList<Column> columns)
{
    private readonly List<string[]> rows = [];

    /// <summary>Adds a row; each cell is escaped, so it may come from a store.</summary>
    public void Add(params IEnumerable<string> cells) => rows.Add([.. cells.Select(Text.Visible)]);

    public void Write(string indent = "")
    {
        var widths = new int[columns.Count];
        for (var at = 0; at < widths.Length; at++)
            widths[at] = rows.Max(row => row[at].Length);
        foreach (var row in rows)
            terminal.Out.WriteLine(indent + LineOf(row, widths, terminal.Width - indent.Length));
        rows.Clear();
    }

    private string LineOf(string[] row, int[] widths, int room)
    {
        var cells = new string[row.Length];
        for (var at = 0; at < row.Length; at++)
        {
            var isLast = at == row.Length - 1;
            var text = isLast ? terminal.Cut(row[at], room) : row[at];
            room -= widths[at] + 2;
            var padding = new string(' ', Math.Max(0, widths[at] - text.Length));
            var painted = columns[at].Style is { } style ? terminal.Paint(style, text) : text;
            cells[at] = columns[at].IsNumber ? padding + painted : isLast ? painted : painted + padding;
        }
        return string.Join("  ", cells);
    }
}
