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
        help.MaxWidth = terminal.Width;
        return help.Invoke(parseResult);
    }
}
