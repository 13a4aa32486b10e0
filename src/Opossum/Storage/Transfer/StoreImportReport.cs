using System.Globalization;

namespace Opossum;

/// <summary>The result of an import.</summary>
/// <param name="Read">The number of events that were read.</param>
/// <param name="Imported">The number of events that were stored; in a dry run, the number that would be.</param>
/// <param name="Known">The number of events that the store already had.</param>
/// <param name="Head">The last position of the store after the import.</param>
public sealed record StoreImportReport(long Read, long Imported, long Known, long Head)
{
    /// <summary>Why personal data of the imported events cannot be read, and where its keys go; null when nothing is missing.</summary>
    public string? KeysProblem { get; init; }

    /// <summary>The report as one line.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"Of {Read:N0} {(Read == 1 ? "event" : "events")}, {Imported:N0} {(Imported == 1 ? "was" : "were")} new and {Known:N0} "
            + $"{(Known == 1 ? "was" : "were")} known. The store ends at position {Head:N0}.{(KeysProblem is null ? "" : $" {KeysProblem}")}");
}
