using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.Runtime.CompilerServices;
using Opossum.Cli.Commands;
using Opossum.Cli.Terminals;

namespace Opossum.Cli;

/// <summary>The whole command line: parses it, runs a command, and turns every failure into a message and an exit code.</summary>
internal static class CommandLine
{
    /// <summary>Runs a command line on the calling thread.</summary>
    /// <remarks>Not asynchronous, because the runtime compiles each asynchronous method when it starts; see docs/decisions/0026.</remarks>
    /// <returns>The exit code.</returns>
    public static int Run(IReadOnlyList<string> arguments, Terminal terminal, CancellationToken cancellationToken) =>
        // Making the parser takes longer than reading a small store, and here it has nothing to do.
        arguments is ["info", var store] && IsPlain(store)
            ? RunInfo(store, terminal, cancellationToken)
            : RunParsed(arguments, terminal, cancellationToken);

    /// <summary>The same with the parser, whatever the arguments are.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int RunParsed(IReadOnlyList<string> arguments, Terminal terminal, CancellationToken cancellationToken)
    {
        if (DamagedArguments.Find(arguments) is { } damaged)
        {
            terminal.WriteError(damaged);
            return (int)ExitCode.Usage;
        }
        // Asked for as Windows and others do. Not as aliases of the option, which completion would offer.
        if (arguments is [.., "/?" or "-?" or "/h"])
            arguments = [.. arguments.Take(arguments.Count - 1), "--help"];
        var parsed = Parse(arguments, terminal);
        if (UsageErrors.FindValueOfFlag(parsed, arguments) is { } wrong)
        {
            terminal.WriteError(wrong);
            return EndOfErrors(parsed, terminal);
        }
        return Run(
            () => parsed switch
            {
                { Action: ParseErrorAction } => WriteErrors(parsed, terminal),
                { Action: null, CommandResult.Command: CliCommand command } => (int)command.Run(parsed, cancellationToken),
                _ => parsed.Invoke(ConfigurationOf(terminal)),
            },
            parsed.CommandResult.Command as CliCommand, terminal, cancellationToken);
    }

    // Without the argument for the store, it is the one in OPOSSUM_STORE, or the one that is the current folder.
    private static ParseResult Parse(IReadOnlyList<string> arguments, Terminal terminal)
    {
        // Text may begin with "@", which would name a file of arguments.
        var parsing = new ParserConfiguration { ResponseFileTokenReplacer = null };
        var parsed = NewRoot(terminal, arguments).Parse(arguments, parsing);
        if (parsed.Errors.Count == 0 || parsed.CommandResult.Command is not StoreCommand || terminal.FindDefaultStore() is not { } store)
            return parsed;
        var names = CommandNames.Of(parsed.CommandResult).Split(' ').Length - 1;
        var withStore = NewRoot(terminal, arguments).Parse([.. arguments.Take(names), store, .. arguments.Skip(names)], parsing);
        return withStore.Errors.Count < parsed.Errors.Count ? withStore : parsed;
    }

    private static int RunInfo(string store, Terminal terminal, CancellationToken cancellationToken) => Run(
        () =>
        {
            new InfoText(terminal).Write(InfoReport.Read(store, withSizes: false, withDisk: false, terminal, cancellationToken));
            return (int)ExitCode.Ok;
        },
        command: null, terminal, cancellationToken);

    // Without a command it is one that only reads.
    private static int Run(Func<int> run, CliCommand? command, Terminal terminal, CancellationToken cancellationToken)
    {
        try
        {
            var exitCode = run();
            terminal.Out.Flush();
            return exitCode;
        }
        catch (BrokenPipeException)
        {
            // The reader has enough, as in "opossum read store | head".
            return (int)(command?.Done ?? ExitCode.Ok);
        }
        catch (Exception e) when (command?.Done is { } done)
        {
            // A script that ran the command again would do the work twice.
            terminal.WriteError($"The work was done; its report could not be completed: {e.Message}");
            return (int)done;
        }
        catch (Exception e)
        {
            return (int)Failure.Write(e, command is null ? CliCommand.NothingWasChanged : command.WhenCancelled, terminal, cancellationToken);
        }
    }

    // Whether the parser would take an argument as it is: it is no option.
    private static bool IsPlain(string argument) =>
        argument is not (['-', ..] or "/h" or "/?") && DamagedArguments.Find([argument]) is null;

    // Where the first argument names a command, the others are not needed, and making them takes as long as reading a small store.
    private static RootCommand NewRoot(Terminal terminal, IReadOnlyList<string> arguments)
    {
        var root = new RootCommand("Looks at, checks, repairs and changes an Opossum event store.");
        foreach (var command in CommandList.New(terminal, only: arguments.Count > 0 ? arguments[0] : null))
            root.Add(command);
        var help = root.Options.OfType<HelpOption>().Single();
        help.Aliases.Clear();
        help.Aliases.Add("-h");
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
            terminal.WriteError(UsageErrors.InWords(error));
        foreach (var advice in UsageErrors.Suggestions(parsed))
            terminal.Error.WriteLine(advice);
        return EndOfErrors(parsed, terminal);
    }

    private static int EndOfErrors(ParseResult parsed, Terminal terminal)
    {
        terminal.Error.WriteLine($"See: {CommandNames.Of(parsed.CommandResult)} --help");
        return (int)ExitCode.Usage;
    }
}
