using Opossum.Storage.Ledger;

namespace Opossum.Maintenance;

/// <summary>The result of a store check.</summary>
public sealed record StoreCheckReport
{
    /// <summary>The number of event files that were read.</summary>
    public required long Events { get; init; }

    /// <summary>Everything that is wrong, in the order in which the check met it; empty when nothing is.</summary>
    public required IReadOnlyList<StoreFinding> Findings { get; init; }

    /// <summary>
    /// The last position up to which all event files exist, are valid and form whole appends. The store can be
    /// truncated there.
    /// </summary>
    public required long WholeUpTo { get; init; }

    /// <summary>
    /// Whether the check ran without the lock: the lock file does not exist (as in a plain copy), is on read-only media, or cannot be written by
    /// this user. In the last case the check stopped at the end of the index, because an append may be under way after it.
    /// </summary>
    public bool IsWithoutLock { get; init; }

    /// <summary>
    /// Whether there is no index, as in a backup and in a store that was just restored. It is not damage: the next opening builds the index from the
    /// event files. Until then no copies of events are there with which event files could be restored.
    /// </summary>
    public bool IsWithoutIndex { get; init; }

    /// <summary>The content of the Quarantine folder; null when it is empty. It is not damage: <see cref="IsClean"/> ignores it.</summary>
    public QuarantineContent? Quarantine { get; init; }

    /// <summary>
    /// Why the keys of personal data are missing, and what to do, in a replica, or in a copy that no process has opened yet, such as a backup: a
    /// copy has its keys elsewhere, so <see cref="IsClean"/> ignores it. Null otherwise: in a store in use it is a finding.
    /// </summary>
    public string? KeysProblem { get; init; }

    /// <summary>The positions of redacted events, ascending, at most 1,000. They are not damage: <see cref="IsClean"/> ignores them.</summary>
    public IReadOnlyList<long> Redacted { get; init; } = [];

    /// <summary>The number of redacted events.</summary>
    public long RedactedCount { get; init; }

    /// <summary>Whether nothing is wrong.</summary>
    public bool IsClean => Findings.Count == 0;

    /// <summary>The report as text, one finding a line.</summary>
    public override string ToString() => string.Join(Environment.NewLine, Lines());

    private IEnumerable<string> Lines()
    {
        yield return IsClean
            ? $"{Events} event{(Events == 1 ? "" : "s")}, {Lock}nothing wrong"
            : $"{Events} event{(Events == 1 ? "" : "s")}, {Lock}whole up to position {WholeUpTo}, {Findings.Count} findings:";
        foreach (var finding in Findings)
            yield return finding.ToString();
        if (IsWithoutIndex)
            yield return "There is no index, as in a backup: the next opening builds it";
        if (IsWithoutIndex && !IsClean)
            yield return "If this is a backup, do not repair it: run the backup again with VerifyAll.";
        if (RedactedCount > 0)
            yield return $"{RedactedCount} {(RedactedCount == 1 ? "event was" : "events were")} redacted: {PositionList.InWords(Redacted)}";
        if (KeysProblem is not null)
            yield return KeysProblem;
        if (Quarantine is not null)
            yield return Quarantine.ToString();
    }

    private string Lock => IsWithoutLock ? "without the lock, " : "";
}
