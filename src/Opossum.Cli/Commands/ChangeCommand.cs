using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>A command that changes something: it can show what it would do, and asks before it takes anything away.</summary>
internal abstract class ChangeCommand : StoreCommand
{
    private readonly Option<bool> yes = new("--yes", "-y") { Description = "Do not ask" };
    private CancellationToken cancellation;

    protected ChangeCommand(Terminal terminal, string name, string description, params IReadOnlyList<string> examples)
        : base(terminal, name, description, examples)
        => Add(DryRun, yes);

    public override ExitCode Run(ParseResult arguments, CancellationToken cancellationToken)
    {
        cancellation = cancellationToken;
        return base.Run(arguments, cancellationToken);
    }

    /// <summary>
    /// Asks whether to do the change, unless <c>--yes</c> was given. For a change that replaces, moves or cuts off something; one that only
    /// adds needs no question.
    /// </summary>
    /// <param name="change">The change as a question, such as <c>Cut off 3 events after position 7?</c></param>
    /// <exception cref="CliException">The user said no, or there is nobody to ask.</exception>
    /// <exception cref="OperationCanceledException">Ctrl-C or a signal came before the answer.</exception>
    protected void Confirm(ParseResult arguments, string change)
    {
        if (arguments.GetValue(yes))
            return;
        if (!Terminal.CanAsk)
        {
            throw new CliException(ExitCode.Usage,
                $"{change} There is no terminal to answer in. Pass --yes to do it, or --dry-run to see what would be done. Nothing was changed.");
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
