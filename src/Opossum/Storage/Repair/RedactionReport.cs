using System.Globalization;
using System.Text;
using Opossum.Storage;

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
    public override string ToString()
    {
        if (Redacted.Count == 0 && RedactedInQuarantine.Count == 0)
            return "Nothing to redact: each of the members is null already.";
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture,
            $"Redacted {Redacted.Count} {(Redacted.Count == 1 ? "event" : "events")}: {PositionList.InWords(Redacted)}. "
                + $"The index was rebuilt.");
        if (Unchanged.Count > 0)
            text.Append(CultureInfo.InvariantCulture, $" Unchanged, without a value to redact: {PositionList.InWords(Unchanged)}.");
        if (RedactedInQuarantine.Count > 0)
            text.Append(CultureInfo.InvariantCulture, $" Redacted in Quarantine too: {RedactedInQuarantine.Count}.");
        if (UnreadInQuarantine.Count > 0)
        {
            text.Append(" These files in Quarantine are no whole event files and may hold the old text: ")
                .AppendJoin(", ", UnreadInQuarantine).Append('.');
        }
        if (Projections.Count > 0)
        {
            text.Append(" These projections were asked to be built again; their old states are gone when the process that runs them has done it: ")
                .AppendJoin(", ", Projections).Append('.');
        }
        if (Reactions.Count > 0)
        {
            text.Append(" These files of reactions are about redacted events and may have the old text: ")
                .AppendJoin(", ", Reactions).Append('.');
        }
        return text.Append(" Backups and exports still have the old text.").ToString();
    }
}
