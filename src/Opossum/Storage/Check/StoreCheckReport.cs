namespace Opossum;

/// <summary>What a check of a store found.</summary>
/// <param name="Events">How many event files were read.</param>
/// <param name="Findings">Everything that is wrong, in the order in which it was met; empty when nothing is.</param>
public sealed record StoreCheckReport(long Events, IReadOnlyList<StoreFinding> Findings)
{
    /// <summary>Whether nothing is wrong.</summary>
    public bool IsClean => Findings.Count == 0;

    /// <summary>The report as text, one finding a line.</summary>
    public override string ToString() =>
        IsClean ? $"{Events} events, nothing wrong" : $"{Events} events, {Findings.Count} findings:{Environment.NewLine}{string.Join(Environment.NewLine, Findings)}";
}
