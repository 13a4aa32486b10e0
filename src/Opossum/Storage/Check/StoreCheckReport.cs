namespace Opossum;

/// <summary>What a check of a store found.</summary>
/// <param name="Events">How many event files were read.</param>
/// <param name="Findings">Everything that is wrong, in the order in which it was met; empty when nothing is.</param>
/// <param name="WholeUpTo">The last position up to which all event files are there and valid, in whole appends. The store can be cut there.</param>
public sealed record StoreCheckReport(long Events, IReadOnlyList<StoreFinding> Findings, long WholeUpTo)
{
    /// <summary>
    /// Whether the lock was not taken: there is no lock file, as in a backup, or it lies on read-only media, or this user may not write it. In
    /// the last case the check went up to the end of the index, for what lies behind may be an append under way.
    /// </summary>
    public bool IsWithoutLock { get; init; }

    /// <summary>What lies in Quarantine; null: nothing. It is no damage, and <see cref="IsClean"/> does not depend on it.</summary>
    public StoreQuarantine? Quarantine { get; init; }

    /// <summary>Whether nothing is wrong.</summary>
    public bool IsClean => Findings.Count == 0;

    /// <summary>The report as text, one finding a line.</summary>
    public override string ToString() => string.Join(Environment.NewLine, Lines());

    private IEnumerable<string> Lines()
    {
        yield return IsClean ? $"{Events} events, {Lock}nothing wrong" : $"{Events} events, {Lock}whole up to position {WholeUpTo}, {Findings.Count} findings:";
        foreach (var finding in Findings)
            yield return finding.ToString();
        if (Quarantine is not null)
            yield return Quarantine.ToString();
    }

    private string Lock => IsWithoutLock ? "without the lock, " : "";
}
