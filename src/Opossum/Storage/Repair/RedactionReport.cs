using System.Globalization;
using Opossum.Storage.Ledger;

namespace Opossum.Maintenance;

/// <summary>The result of a redaction, as data for programs and as text through <see cref="ToString"/>.</summary>
public sealed record RedactionReport
{
    /// <summary>The positions whose events were redacted, ascending.</summary>
    public required IReadOnlyList<long> Redacted { get; init; }

    /// <summary>
    /// The positions whose events stayed as they were: they have none of the members, or only null there.
    /// </summary>
    public required IReadOnlyList<long> Unchanged { get; init; }

    /// <summary>The files in Quarantine that held a copy of one of the events, and were redacted too.</summary>
    public required IReadOnlyList<string> RedactedInQuarantine { get; init; }

    /// <summary>
    /// The files in Quarantine that may hold one of the events but are not whole event files: look at them, and
    /// delete them if they must not be kept.
    /// </summary>
    public required IReadOnlyList<string> UnreadInQuarantine { get; init; }

    /// <summary>
    /// The projections that were asked to be built again. Their old states stay until the process that runs them has
    /// done so; delete the folder of a projection that nobody runs any more.
    /// </summary>
    public required IReadOnlyList<string> Projections { get; init; }

    /// <summary>
    /// The files of reactions that are about one of the events: parked, skipped and due ones. Their errors, keys and data may have the old text, and
    /// stay as they are: look at them, and delete them if they must not be kept.
    /// </summary>
    public IReadOnlyList<string> Reactions { get; init; } = [];

    /// <summary>The report as text.</summary>
    public override string ToString() => string.Join(' ', Sentences());

    private IEnumerable<string> Sentences()
    {
        if (Redacted.Count + RedactedInQuarantine.Count + UnreadInQuarantine.Count + Projections.Count + Reactions.Count == 0)
        {
            yield return "Nothing to redact: each of the members is null already.";
            yield break;
        }
        if (Redacted.Count > 0)
            yield return $"Redacted {InWords(Redacted, "event")}: {PositionList.InWords(Redacted)}. The index was rebuilt.";
        if (Unchanged.Count > 0)
            yield return $"Unchanged, without a value to redact: {PositionList.InWords(Unchanged)}.";
        if (RedactedInQuarantine.Count > 0)
            yield return $"Redacted in Quarantine: {InWords(RedactedInQuarantine, "file")}.";
        if (UnreadInQuarantine.Count > 0)
        {
            yield return "These files in Quarantine are no whole event files and may hold the old text: "
                + $"{string.Join(", ", UnreadInQuarantine)}.";
        }
        if (Projections.Count > 0)
        {
            yield return "These projections were asked to be built again; their old states are gone when the process that runs them has done it: "
                + $"{string.Join(", ", Projections)}.";
        }
        if (Reactions.Count > 0)
            yield return $"These files of reactions are about redacted events and may have the old text: {string.Join(", ", Reactions)}.";
        if (Redacted.Count + RedactedInQuarantine.Count > 0)
            yield return "Backups and exports still have the old text.";
    }

    private static string InWords<T>(IReadOnlyList<T> all, string what) =>
        string.Create(CultureInfo.InvariantCulture, $"{all.Count} {what}{(all.Count == 1 ? "" : "s")}");
}
