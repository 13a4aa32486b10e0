using System.CommandLine;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Accepts an event file that was edited by hand.</summary>
internal sealed class RepairAcceptEditCommand : RepairBase
{
    private readonly Argument<long> position = new("position") { Description = "The event's position" };

    public RepairAcceptEditCommand(Terminal terminal)
        : base(terminal, "accept-edit", "Make an event file that was edited by hand valid: its form, its checksum and the index",
            "opossum repair accept-edit sales 42 --dry-run",
            "opossum repair accept-edit sales 42 --yes")
        => Add(position);

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var edited = arguments.GetRequiredValue(position);
        return RunAsync(arguments,
            $"Accept the edited file of event {edited}, and move what the index has of the original event to Quarantine?",
            found => PlanOf(found, StoreOf(arguments), edited),
            (path, progress) => StoreRepair.AcceptEditedFileAsync(path, edited, progress, cancellationToken), cancellationToken);
    }

    private static string PlanOf(StoreCheckReport found, string path, long edited)
    {
        var kinds = found.Findings.Where(finding => finding.Position == edited).Select(static finding => finding.Kind).ToList();
        if (kinds.Contains(FindingKind.Gap) || EventFile.FindCommit(path, edited) is null)
            throw new CliException(ExitCode.Failed, $"The file of event {edited} is missing, or holds no event. Nothing was changed.");
        return kinds.Contains(FindingKind.BadEventFile)
            ? $"Would accept the edited file of event {edited}, and rebuild the index."
            : $"Nothing to do: the file of event {edited} is not edited.";
    }
}
