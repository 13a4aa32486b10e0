using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum check --types</c>.</summary>
/// <param name="IsClean">Whether every event was read as an object.</param>
/// <param name="Head">The position up to which events were read.</param>
/// <param name="Failures">The number of events that cannot be read as objects.</param>
/// <param name="NotChecked">The number of events that need an upcaster, which this command does not know.</param>
internal sealed record TypesReport(bool IsClean, long Head, long Events, long Failures, long NotChecked, IReadOnlyList<TypesResult> Types)
{
    public static TypesReport Of(EventTypeCheckReport report)
    {
        TypesResult[] types = [.. report.Results.Select(TypesResult.Of)];
        var (failures, notChecked) = (types.Sum(static type => type.Failures), types.Sum(static type => type.NotChecked));
        return new TypesReport(failures + notChecked == 0, report.Head, report.Events, failures, notChecked, types);
    }
}
