using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using Opossum.Cli.Terminals;

namespace Opossum.Cli;

/// <summary>The whole command line: parses it, runs a command, and turns every failure into a message and an exit code.</summary>
internal static class CommandLine
{
    /// <summary>Runs a command line.</summary>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(IReadOnlyList<string> arguments, Terminal terminal, CancellationToken cancellationToken)
    {
        var parsed = NewRoot(terminal).Parse(arguments);
        try
        {
            var exitCode = parsed.Action is ParseErrorAction
                ? WriteErrors(parsed, terminal)
                : await parsed.InvokeAsync(ConfigurationOf(terminal), cancellationToken).ConfigureAwait(false);
            terminal.Out.Flush();
            return exitCode;
        }
        catch (BrokenPipeException)
        {
            // The reader has enough, as in "opossum read store | head".
            return (int)ExitCode.Ok;
        }
        catch (Exception e)
        {
            return (int)Failure.Write(e, parsed, terminal, cancellationToken);
        }
    }

    /// <summary>The root command with all commands.</summary>
    public static RootCommand NewRoot(Terminal terminal)
    {
        var root = new RootCommand("Looks at, checks, repairs and changes an Opossum event store.");
        foreach (var command in CommandList.New(terminal))
            root.Add(command);
        var help = root.Options.OfType<HelpOption>().Single();
        help.Action = new ExamplesFirst((HelpAction)help.Action!, terminal);
        root.SetAction(parsed => help.Action is ExamplesFirst action ? action.Invoke(parsed) : 0);
        return root;
    }

    // Signals are handled by the process, and exceptions above.
    private static InvocationConfiguration ConfigurationOf(Terminal terminal) => new()
    {
        EnableDefaultExceptionHandler = false,
        ProcessTerminationTimeout = null,
        Output = terminal.Out,
        Error = terminal.Error,
    };

    private static int WriteErrors(ParseResult parsed, Terminal terminal)
    {
        foreach (var error in parsed.Errors)
            terminal.WriteError(error.Message);
        terminal.Error.WriteLine($"See: {CommandNames.Of(parsed.CommandResult)} --help");
        return (int)ExitCode.Usage;
    }
}
