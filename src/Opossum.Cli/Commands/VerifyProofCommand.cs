using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Verifies the proof of an event, without the store.</summary>
internal sealed class VerifyProofCommand : CliCommand
{
    private readonly Argument<string> proof = new("proof") { Description = "The file of the proof" };
    private readonly Argument<string> eventFile = new("event") { Description = "The event's file" };
    private readonly Option<string> verifier = new("--verifier")
    {
        Description = "The verifier of the key that signed: its file, or its text",
        HelpName = "verifier",
        Required = true,
    };

    public VerifyProofCommand(Terminal terminal)
        : base(terminal, "verify-proof", "Verify the proof of an event; the store is not needed",
            "opossum verify-proof 42.proof 0000000042.json --verifier sales.verifier")
        => Add(proof, eventFile, verifier, Json);

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var key = ProofFiles.ReadVerifier(arguments.GetRequiredValue(verifier));
        var text = ProofFiles.ReadText(arguments.GetRequiredValue(proof));
        var file = arguments.GetRequiredValue(eventFile);
        if (!File.Exists(file))
            throw new CliException(ExitCode.Usage, $"{file} does not exist. Pass the event's file.");
        var report = Verify(text, File.ReadAllBytes(file), key);
        return Task.FromResult(Write(arguments, report, shown => WriteText(shown, file), report.IsProven ? ExitCode.Ok : ExitCode.Negative));
    }

    private static VerifyProofReport Verify(string proof, byte[] eventFile, ProofVerifier key)
    {
        try
        {
            var checkpoint = StoreProof.VerifyProof(proof, eventFile, key);
            return new VerifyProofReport(true, key.Name, checkpoint.StoreId, checkpoint.Position, checkpoint.Time, null);
        }
        catch (FormatException e)
        {
            return new VerifyProofReport(false, key.Name, null, null, null, e.Message);
        }
    }

    private void WriteText(VerifyProofReport report, string file) => Terminal.Out.WriteLine(report is { Position: { } position, Time: { } time }
        ? $"{Terminal.Paint(Style.Green, "Proven")}: {file} is one of the first {Text.Of(position)} events of the store {report.StoreId}, as "
            + $"{report.Signer} signed at {Text.Of(time)}."
        : $"{Terminal.Paint(Style.Red, "Not proven")}: {Text.Visible(report.Problem!)}.");
}
