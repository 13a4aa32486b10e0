using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The argument that names a file with events to store; <c>-</c> or nothing is the standard input.</summary>
internal sealed class InputArgument : Argument<string?>
{
    public InputArgument(string description)
        : base("file")
    {
        Description = description;
        Arity = ArgumentArity.ZeroOrOne;
    }

    /// <summary>The file; null: the standard input.</summary>
    public string? PathOf(ParseResult arguments) => arguments.GetValue(this) is { } path and not "-" ? path : null;

    /// <exception cref="CliException">There is no such file.</exception>
    public Stream Open(ParseResult arguments, Terminal terminal, CancellationToken cancellationToken)
    {
        if (PathOf(arguments) is not { } path)
            return terminal.OpenInput(cancellationToken);
        try
        {
            return File.OpenRead(path);
        }
        catch (Exception e) when (StorePath.WhyNoFile(path, e) is { } why)
        {
            throw new CliException(ExitCode.Usage, $"{path} {why}. Pass a file with events, or - for the standard input.", e);
        }
    }
}
