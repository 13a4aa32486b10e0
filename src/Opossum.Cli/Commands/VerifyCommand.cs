using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Compares a store with checkpoints, and names the first event that differs.</summary>
internal sealed class VerifyCommand : StoreCommand
{
    private readonly Option<string[]> against = new("--against")
    {
        Description = "A checkpoint that was kept elsewhere, or a folder of them; older ones narrow a difference down",
        HelpName = "checkpoint",
        Required = true,
        AllowMultipleArgumentsPerToken = true,
    };
    private readonly Option<string> verifier = new("--verifier")
    {
        Description = "The verifier of the key that signed: its file, or its text",
        HelpName = "verifier",
        Required = true,
    };

    public VerifyCommand(Terminal terminal)
        : base(terminal, "verify", "Compare every event file with checkpoints, and name the first event that differs",
            "opossum verify sales --against /mnt/stick --verifier sales.verifier",
            "opossum verify sales --against march.checkpoint april.checkpoint --verifier sales.verifier --json")
        => Add(against, verifier);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = ExistingStoreOf(arguments);
        var key = ProofFiles.ReadVerifier(arguments.GetRequiredValue(verifier));
        var checkpoints = ProofFiles.ReadCheckpoints(arguments.GetRequiredValue(against), key, StorePath.FindId(path), out var passedOver);
        if (passedOver > 0)
            Terminal.Error.WriteLine($"{Text.Count(passedOver, "checkpoint")} of other keys passed over.");
        var found = await ProofAnswer.OfAsync(WithProgressAsync(progress =>
            StoreProof.VerifyAsync(path, checkpoints, progress, cancellationToken))).ConfigureAwait(false);
        var report = new VerifyReport(found.IsIntact, found.IntactUpTo, found.Checkpoint.Position, found.Checkpoint.Time, found.FirstDifference,
            found.RedactedCount, found.Redacted);
        return Write(arguments, report, WriteText, report.IsIntact ? ExitCode.Ok : ExitCode.Negative);
    }

    private void WriteText(VerifyReport report)
    {
        foreach (var redacted in report.Redacted)
        {
            var last = redacted.Redactions[^1];
            Terminal.Out.WriteLine($"{Terminal.Paint(Style.Yellow, "Redacted")} at position {Text.Of(redacted.Position)}: "
                + $"{Text.Visible(string.Join(", ", last.Members))}, by {Text.Visible(last.By)}, {Text.Of(last.At)}: {Text.Visible(last.Reason)}");
        }
        if (report.RedactedCount > report.Redacted.Count)
            Terminal.Out.WriteLine($"{Text.Count(report.RedactedCount, "event")} in all are redacted.");
        if (report.Difference is not { } difference)
        {
            Terminal.Out.WriteLine($"{Terminal.Paint(Style.Green, "Intact")}: the {Text.Count(report.Position, "event")} that the checkpoint of "
                + $"{Text.Of(report.Time)} covers are as they were. Later events are not covered.");
            return;
        }
        Terminal.Out.WriteLine($"{Terminal.Paint(Style.Red, difference.Kind.ToString())} at "
            + $"{Text.Positions(difference.First, difference.Last)}: {Text.Visible(difference.Message)}");
        Terminal.Out.WriteLine($"The checkpoint of {Text.Of(report.Time)} covers {Text.Count(report.Position, "event")}.");
    }
}
