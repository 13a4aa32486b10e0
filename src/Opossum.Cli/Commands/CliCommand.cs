using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>A command of the command line: its examples, and what it does.</summary>
internal abstract class CliCommand : Command
{
    /// <summary>What the user reads after Ctrl-C when nothing else is to be said.</summary>
    public const string NothingWasChanged = "Cancelled. Nothing was changed.";

    private CancellationToken cancellation;

    protected CliCommand(Terminal terminal, string name, string description, params IReadOnlyList<string> examples)
        : base(name, description)
    {
        Terminal = terminal;
        Examples = examples;
    }

    /// <summary>Command lines that work when copied, which help shows first.</summary>
    public IReadOnlyList<string> Examples { get; }

    /// <summary>What the user reads after Ctrl-C: what became of the work; null: nothing.</summary>
    public virtual string? WhenCancelled => NothingWasChanged;

    /// <summary>
    /// How the command ends, once it has changed what it was asked to change, even if its report cannot be written. Null before, and where it
    /// only reads.
    /// </summary>
    public ExitCode? Done { get; private set; }

    protected Terminal Terminal { get; }

    /// <summary>The option that asks for JSON; a command that writes a report adds it.</summary>
    protected Option<bool> Json { get; } = new("--json") { Description = "Write JSON instead of text" };

    /// <summary>The option that asks only for what would be done; a command that has it adds it.</summary>
    protected Option<bool> DryRun { get; } = new("--dry-run") { Description = "Show what would be done, and change nothing" };

    /// <summary>The option that answers a question beforehand; a command that asks adds it.</summary>
    protected Option<bool> Yes { get; } = new("--yes", "-y") { Description = "Do not ask" };

    protected bool WantsJson(ParseResult arguments) => arguments.GetValue(Json);

    protected bool IsDryRun(ParseResult arguments) => arguments.GetValue(DryRun);

    /// <summary>Adds arguments and options, in the order in which help names them.</summary>
    protected void Add(params ReadOnlySpan<Symbol> symbols)
    {
        foreach (var symbol in symbols)
        {
            if (symbol is Argument argument)
                Arguments.Add(argument);
            else
                Options.Add((Option)symbol);
        }
    }

    /// <summary>Does the work, on the calling thread as far as it can be done there.</summary>
    public virtual ExitCode Run(ParseResult arguments, CancellationToken cancellationToken)
    {
        cancellation = cancellationToken;
        return RunAsync(arguments, cancellationToken).GetAwaiter().GetResult();
    }

    /// <summary>Does the work. Failures are exceptions; <see cref="CliException"/> for those that the command itself finds.</summary>
    protected abstract Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken);

    /// <summary>Does long work of the library, and shows its progress.</summary>
    protected Task<T> WithProgressAsync<T>(Func<IProgress<StoreProgress>, Task<T>> work) =>
        ProgressDisplay.RunAsync(Terminal, steps => work(StoreSteps.To(steps)));

    /// <summary>Writes a report as JSON, or as text by the given method.</summary>
    /// <returns>How the command ends.</returns>
    protected ExitCode Write<TReport>(ParseResult arguments, TReport report, Action<TReport> writeText, ExitCode exitCode = ExitCode.Ok)
    {
        if (WantsJson(arguments))
            Terminal.WriteJson(report);
        else
            writeText(report);
        return exitCode;
    }

    /// <summary>Writes the report of a change. Unless it is a dry run, the command ends so even if the report cannot be written.</summary>
    /// <returns>How the command ends.</returns>
    protected ExitCode WriteDone<TReport>(ParseResult arguments, TReport report, Action<TReport> writeText, ExitCode exitCode = ExitCode.Ok)
    {
        Done = IsDryRun(arguments) ? null : exitCode;
        return Write(arguments, report, writeText, exitCode);
    }

    /// <summary>
    /// Asks whether to do the change, unless <see cref="Yes"/> was given. For a change that replaces, moves or cuts off something; one that only
    /// adds needs no question.
    /// </summary>
    /// <param name="change">The change as a question, such as <c>Cut off 3 events after position 7?</c></param>
    /// <exception cref="CliException">The user said no, or there is nobody to ask.</exception>
    /// <exception cref="OperationCanceledException">Ctrl-C or a signal came before the answer.</exception>
    protected void Confirm(ParseResult arguments, string change)
    {
        if (arguments.GetValue(Yes))
            return;
        if (!Terminal.CanAsk)
        {
            var orLook = Options.Contains(DryRun) ? ", or --dry-run to see what would be done" : "";
            throw new CliException(ExitCode.Usage,
                $"{change} There is no terminal to answer in. Pass --yes to do it{orLook}. Nothing was changed.");
        }
        Terminal.Error.Write($"{change} [y/N] ");
        Terminal.Error.Flush();
        if (ReadAnswer()?.Trim() is not ("y" or "Y" or "yes" or "Yes" or "YES"))
            throw new CliException(ExitCode.Usage, "Not confirmed. Nothing was changed.");
    }

    private string? ReadAnswer()
    {
        // A read that is abandoned by a cancellation ends with the process.
        var reading = Task.Run(Terminal.In.ReadLine, CancellationToken.None);
        try
        {
            var answer = reading.WaitAsync(cancellation).GetAwaiter().GetResult();
            cancellation.ThrowIfCancellationRequested();
            return answer;
        }
        catch (OperationCanceledException)
        {
            // The question's line has not ended.
            Terminal.Error.WriteLine();
            throw;
        }
    }
}
