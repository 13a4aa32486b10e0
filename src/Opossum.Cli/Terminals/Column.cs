namespace Opossum.Cli.Terminals;

/// <summary>A column of a report.</summary>
/// <param name="IsNumber">Whether it is aligned to the right.</param>
/// <param name="Style">Its style; null for plain text.</param>
internal sealed record Column(bool IsNumber = false, Style? Style = null)
{
    public static Column Words { get; } = new();

    public static Column Number { get; } = new(IsNumber: true);

    public static Column Dim { get; } = new(Style: Terminals.Style.Dim);
}
