using System.CommandLine;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Cuts off the events after a position.</summary>
internal sealed class RepairTruncateCommand : RepairBase
{
    private readonly Option<long> after = new("--after")
    {
        Description = "The last position to keep; an append must end there",
        HelpName = "position",
        Required = true,
    };

    public RepairTruncateCommand(Terminal terminal)
        : base(terminal, "truncate", "Cut off all events after a position, and move them to Quarantine: the last resort",
            "opossum repair truncate sales --after 41 --dry-run",
            "opossum repair truncate sales --after 41 --yes")
        => Add(after);

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var kept = arguments.GetRequiredValue(after);
        return RunAsync(arguments,
            $"Cut off all events after position {Text.Of(kept)}, and move them to Quarantine? The store will give their positions to other events.",
            found => PlanOf(found, StoreOf(arguments), kept),
            (path, progress) => StoreRepair.TruncateAsync(path, kept, progress, cancellationToken), cancellationToken);
    }

    private static string PlanOf(StoreCheckReport found, string path, long kept)
    {
        if (kept < 0)
            throw new CliException(ExitCode.Usage, $"--after {kept} is negative. Pass the last position to keep, or 0. Nothing was changed.");
        if (kept > found.WholeUpTo)
            throw Refused($"it is whole up to position {Text.Of(found.WholeUpTo)}, and can be cut there");
        if (kept > 0 && EventFile.FindCommit(path, kept) is { } append && append.Last != kept)
            throw Refused($"this position lies inside the append of positions {Text.Of(append.First)} to {Text.Of(append.Last)}");
        return $"Would move all events after position {Text.Of(kept)} to Quarantine. The store has {Text.Count(found.Events, "event file")}, "
            + $"and is whole up to position {Text.Of(found.WholeUpTo)}.";

        CliException Refused(string why) =>
            new(ExitCode.Failed, $"The store would not be cut after position {Text.Of(kept)}: {why}. Nothing was changed.");
    }
}
