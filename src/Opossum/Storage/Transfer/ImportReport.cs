using System.Globalization;

namespace Opossum.Maintenance;

/// <summary>The result of an import.</summary>
public sealed record ImportReport
{
    /// <summary>The number of events that were read.</summary>
    public required long Read { get; init; }

    /// <summary>The number of events that were stored; in a dry run, the number that would be.</summary>
    public required long Imported { get; init; }

    /// <summary>The number of events that the store already had.</summary>
    public required long Known { get; init; }

    /// <summary>The number of tag rules (<see cref="TagRule"/>) that the store did not have; in a dry run, the number that it lacks.</summary>
    public int TagRules { get; init; }

    /// <summary>The last position of the store after the import.</summary>
    public required long Head { get; init; }

    /// <summary>Why personal data of the imported events cannot be read, and where its keys go; null when nothing is missing.</summary>
    public string? KeysProblem { get; init; }

    /// <summary>The report as one line.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"Of {Read:N0} {(Read == 1 ? "event" : "events")}, {Imported:N0} {(Imported == 1 ? "was" : "were")} new and {Known:N0} "
            + $"{(Known == 1 ? "was" : "were")} known.{Rules} The store ends at position {Head:N0}.{(KeysProblem is null ? "" : $" {KeysProblem}")}");

    private string Rules => TagRules switch
    {
        0 => "",
        1 => " One tag rule was new.",
        _ => $" {TagRules} tag rules were new.",
    };
}
