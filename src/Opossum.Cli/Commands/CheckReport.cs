using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum check</c>.</summary>
/// <param name="Events">The number of event files that were read.</param>
/// <param name="WholeUpTo">The last position up to which the event files are whole.</param>
/// <param name="IsWithoutLock">Whether the check ran without the store's lock.</param>
/// <param name="IsWithoutIndex">Whether there is no index, as in a backup; the next opening builds it.</param>
/// <param name="KeysProblem">Why the keys of personal data are missing in a replica, or a copy that no process has opened; null otherwise.</param>
/// <param name="Quarantine">What lies in Quarantine; null when nothing does.</param>
internal sealed record CheckReport(bool IsClean, long Events, long WholeUpTo, bool IsWithoutLock, bool IsWithoutIndex,
    IReadOnlyList<CheckFinding> Findings, string? KeysProblem, QuarantineContent? Quarantine)
{
    public static CheckReport Of(StoreCheckReport report, string path) => new(report.IsClean, report.Events, report.WholeUpTo, report.IsWithoutLock,
        report.IsWithoutIndex, [.. report.Findings.Select(finding => CheckFinding.Of(finding, path))], report.KeysProblem, report.Quarantine);
}
