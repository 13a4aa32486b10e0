using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using Opossum.Cli.Commands;
using Opossum.Cli.Terminals;

namespace Opossum.Cli;

/// <summary>Help that begins with examples, because most readers look for one to copy.</summary>
internal sealed class ExamplesFirst(HelpAction help, Terminal terminal) : SynchronousCommandLineAction
{
    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        if (parseResult.CommandResult.Command is CliCommand { Examples.Count: > 0 } command)
        {
            terminal.Out.WriteLine("Examples:");
            foreach (var example in command.Examples)
                terminal.Out.WriteLine($"  {example}");
            terminal.Out.WriteLine();
        }
        if (parseResult.CommandResult.Command is RootCommand root)
        {
            WriteGroups(root);
            return 0;
        }
        help.MaxWidth = terminal.Width;
        return help.Invoke(parseResult);
    }

    private void WriteGroups(RootCommand root)
    {
        terminal.Out.WriteLine(root.Description);
        terminal.Out.WriteLine();
        terminal.Out.WriteLine("Usage:");
        terminal.Out.WriteLine("  opossum COMMAND --help    shows examples of a command, its arguments and its options");
        terminal.Out.WriteLine("  opossum --version");
        foreach (var (title, commands) in CommandList.Groups)
        {
            terminal.Out.WriteLine();
            terminal.Out.WriteLine(terminal.Paint(Style.Bold, $"{title}:"));
            var lines = new Columns(terminal, Column.Words, Column.Words);
            foreach (var command in root.Subcommands.Where(each => commands.Contains(each.Name)))
                lines.Add(command.Name, command.Description!);
            lines.Write("  ");
        }
        terminal.Out.WriteLine();
        terminal.Out.WriteLine("A command that takes a store takes the one that OPOSSUM_STORE names, or the current folder, when none is given.");
    }
}
