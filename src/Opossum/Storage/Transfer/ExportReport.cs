using System.Globalization;

namespace Opossum.Maintenance;

/// <summary>The result of an export.</summary>
public sealed record ExportReport
{
    /// <summary>The number of events that were written.</summary>
    public required long Events { get; init; }

    /// <summary>The position up to which the store was read: a later export starts after it.</summary>
    public required long Head { get; init; }

    /// <summary>The number of tag rules (<see cref="TagRule"/>) that were written, each on a line before the events.</summary>
    public int TagRules { get; init; }

    /// <summary>The report as one line.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{Events:N0} {(Events == 1 ? "event" : "events")}{Rules} {(Events == 1 && TagRules == 0 ? "was" : "were")} exported, up to position "
            + $"{Head:N0}.");

    private string Rules => TagRules == 0 ? "" : $" and {TagRules} tag {(TagRules == 1 ? "rule" : "rules")}";
}
