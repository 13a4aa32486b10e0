using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Proves that an event belongs to the history that the last checkpoint covers.</summary>
internal sealed class ProveCommand : StoreCommand
{
    private readonly Argument<long> position = new("position") { Description = "The event's position" };
    private readonly Option<string?> output = new("--out", "-o")
    {
        Description = "The file to write, which must not exist; without it, the standard output",
        HelpName = "file",
    };

    public ProveCommand(Terminal terminal)
        : base(terminal, "prove", "Prove that an event belongs to the history that the store's last checkpoint covers",
            "opossum prove sales 42 --out 42.proof",
            "opossum prove sales 42")
        => Add(position, output);

    public override string WhenCancelled => "Cancelled. No proof was written.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = ExistingStoreOf(arguments);
        var number = arguments.GetValue(position);
        if (number < 1)
            throw new CliException(ExitCode.Usage, $"{number} is not a position. Write a number from 1.");
        var file = arguments.GetValue(output);
        if (file is not null)
            NewFile.ThrowIfExists(file);
        var proof = await ProofAnswer.OfAsync(WithProgressAsync(
            _ => StoreProof.ProveAsync(path, number, cancellationToken))).ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        var report = new ProveReport(number, proof, file);
        if (file is null)
            return Write(arguments, report, WriteText);
        NewFile.Write(file, proof);
        return WriteDone(arguments, report, WriteText);
    }

    private void WriteText(ProveReport report)
    {
        if (report.File is { } file)
        {
            Terminal.Out.WriteLine($"Wrote the proof of the event at position {Text.Of(report.Position)} to {file}. "
                + "Give it away with the event's file.");
        }
        else
        {
            Terminal.Out.Write(report.Proof);
        }
    }
}
