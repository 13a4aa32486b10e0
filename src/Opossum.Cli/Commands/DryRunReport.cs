namespace Opossum.Cli.Commands;

/// <summary>The report of a change that was only planned.</summary>
/// <param name="Plan">What would be done, in words.</param>
/// <param name="IsDryRun">True.</param>
internal sealed record DryRunReport(string Plan, bool IsDryRun);
