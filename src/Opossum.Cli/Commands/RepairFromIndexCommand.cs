using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Restores event files from the index.</summary>
internal sealed class RepairFromIndexCommand(Terminal terminal)
    : RepairBase(terminal, "from-index", "Restore missing or bad event files from their copies in the index; undoes edits by hand",
        "opossum repair from-index sales --dry-run",
        "opossum repair from-index sales --yes")
{
    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken) => RunAsync(arguments,
        "Restore event files from the index, and move files that are bad or edited to Quarantine?",
        static found => PositionsOf(found, Remedy.RestoreFromIndex) is { Length: > 0 } positions
            ? $"Would restore the event files of {positions} from the index, and move bad ones to Quarantine."
            : "Nothing to do: no event file is missing or bad that the index has a copy of.",
        (path, progress) => StoreRepair.RestoreFromIndexAsync(path, progress, cancellationToken), cancellationToken);
}
