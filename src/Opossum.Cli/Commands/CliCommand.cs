using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>A command of the command line: its examples, and what it does.</summary>
internal abstract class CliCommand : Command
{
    /// <summary>What the user reads after Ctrl-C when nothing else is to be said.</summary>
    public const string NothingWasChanged = "Cancelled. Nothing was changed.";

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

    protected Terminal Terminal { get; }

    /// <summary>Does the work, on the calling thread as far as it can be done there.</summary>
    public virtual ExitCode Run(ParseResult arguments, CancellationToken cancellationToken) =>
        RunAsync(arguments, cancellationToken).GetAwaiter().GetResult();

    /// <summary>Does the work. Failures are exceptions; <see cref="CliException"/> for those that the command itself finds.</summary>
    protected abstract Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken);
}
