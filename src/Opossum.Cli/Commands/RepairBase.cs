using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>A repair: shows what a check finds for it, asks, repairs, and reports.</summary>
internal abstract class RepairBase : ChangeCommand
{
    protected RepairBase(Terminal terminal, string name, string description, params IReadOnlyList<string> examples)
        : base(terminal, name, description, examples)
    {
    }

    public override string? WhenCancelled =>
        "Interrupted. If the repair had begun, run the same command again to complete it, before anything is appended.";

    /// <summary>Does the repair, or shows what it would do.</summary>
    /// <param name="question">The repair as a question; null when it takes nothing away.</param>
    /// <param name="plan">What it would do, in words, by what a check found.</param>
    /// <param name="cancellationToken">Ends the command; a repair that had begun is completed by running it again.</param>
    protected async Task<ExitCode> RunAsync(ParseResult arguments, string? question, Func<StoreCheckReport, string> plan,
        Func<string, IProgress<StoreProgress>, Task<RepairReport>> repair, CancellationToken cancellationToken)
    {
        var path = await StoreToChangeAsync(arguments, cancellationToken, orFormer: false).ConfigureAwait(false);
        if (IsDryRun(arguments))
            return await ShowAsync(arguments, plan, cancellationToken).ConfigureAwait(false);
        if (question is not null)
            Confirm(arguments, question);
        var done = await WithProgressAsync(progress => repair(path, progress).WaitAsync(cancellationToken)).ConfigureAwait(false);
        var exitCode = done.Problem is null ? ExitCode.Ok : ExitCode.Negative;
        return WriteDone(arguments, done, report => Terminal.Out.WriteLine(report), exitCode);
    }

    /// <summary>Shows what would be done, by what a check finds.</summary>
    protected async Task<ExitCode> ShowAsync(ParseResult arguments, Func<StoreCheckReport, string> plan, CancellationToken cancellationToken)
    {
        var found = await WithProgressAsync(
            progress => StoreCheck.RunAsync(StoreOf(arguments), progress: progress, cancellationToken: cancellationToken)).ConfigureAwait(false);
        return Write(arguments, new DryRunReport(plan(found), IsDryRun: true), report => Terminal.Out.WriteLine(report.Plan));
    }

    /// <summary>The positions of the faults that a remedy repairs, in words: <c>positions 3, 7</c>.</summary>
    protected static string PositionsOf(StoreCheckReport found, params IReadOnlyList<Remedy> remedies)
    {
        var positions = found.Findings.Where(finding => remedies.Contains(finding.Remedy) && finding.Position is not null)
            .Select(static finding => finding.Position!.Value).Distinct().Order().ToList();
        const int Named = 20;
        var list = string.Join(", ", positions.Take(Named));
        return positions.Count == 0 ? ""
            : positions.Count == 1 ? $"position {list}"
            : positions.Count > Named ? $"positions {list} and {positions.Count - Named} more" : $"positions {list}";
    }
}
