namespace Opossum;

/// <summary>What a check of a store found.</summary>
/// <param name="Events">How many event files were read.</param>
/// <param name="Findings">Everything that is wrong, in the order in which it was met; empty when nothing is.</param>
/// <param name="WholeUpTo">The last position up to which all event files are there and valid, in whole appends. The store can be cut there.</param>
public sealed record StoreCheckReport(long Events, IReadOnlyList<StoreFinding> Findings, long WholeUpTo)
{
    /// <summary>Whether nothing is wrong.</summary>
    public bool IsClean => Findings.Count == 0;

    /// <summary>The report as text, one finding a line.</summary>
    public override string ToString() =>
        IsClean ? $"{Events} events, nothing wrong" : $"{Events} events, whole up to position {WholeUpTo}, {Findings.Count} findings:{Environment.NewLine}{string.Join(Environment.NewLine, Findings)}";
}
