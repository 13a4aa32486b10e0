using System.Globalization;

namespace Opossum;

/// <summary>The result of an export.</summary>
/// <param name="Events">The number of events that were written.</param>
/// <param name="Head">The position up to which the store was read: a later export starts after it.</param>
public sealed record StoreExportReport(long Events, long Head)
{
    /// <summary>The report as one line.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{Events:N0} {(Events == 1 ? "event was" : "events were")} exported, up to position {Head:N0}.");
}
