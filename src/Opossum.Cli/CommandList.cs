using System.CommandLine;
using Opossum.Cli.Commands;
using Opossum.Cli.Terminals;

namespace Opossum.Cli;

/// <summary>The commands, in the order in which help lists them.</summary>
internal static class CommandList
{
    public static IEnumerable<Command> New(Terminal terminal) =>
    [
        new InfoCommand(terminal),
        new ReadCommand(terminal),
        new TailCommand(terminal),
        new ShowCommand(terminal),
        new ProjectionsCommand(terminal),
        new DiffCommand(terminal),
        new NewCommand(terminal),
        new AppendCommand(terminal),
        new CheckCommand(terminal),
        new RepairCommand(terminal),
        new ReindexCommand(terminal),
        new ForgetCommand(terminal),
        new FindPersonCommand(terminal),
        new MasterKeyCommand(terminal),
        new BackupCommand(terminal),
        new RestoreCommand(terminal),
        new ExportCommand(terminal),
        new ImportCommand(terminal),
        new MigrateCommand(terminal),
        new BenchCommand(terminal),
        new McpCommand(terminal),
        new CompletionCommand(terminal),
    ];
}
