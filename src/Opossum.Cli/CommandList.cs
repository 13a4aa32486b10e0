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
        new BenchCommand(terminal),
    ];
}
