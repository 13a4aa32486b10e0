using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Writes a checkpoint to a store and to witnesses.</summary>
internal sealed class ProofCheckpointCommand : ChangeCommand
{
    private readonly Option<string> key = new("--key") { Description = "The file of the private key", HelpName = "file", Required = true };
    private readonly Option<string[]> witnesses = new("--witness")
    {
        Description = "A folder that receives a copy: another share, a stick; repeat it for several",
        HelpName = "folder",
        AllowMultipleArgumentsPerToken = true,
    };

    public ProofCheckpointCommand(Terminal terminal)
        : base(terminal, "checkpoint", "Write a signed checkpoint of all events to the store and to witnesses",
            "opossum proof checkpoint sales --key sales.key",
            "opossum proof checkpoint sales --key sales.key --witness /mnt/stick /mnt/office/proofs")
        => Add(key, witnesses);

    public override string WhenCancelled => "Cancelled. Either the whole checkpoint was written, or none.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = ExistingStoreOf(arguments);
        using var signer = ProofFiles.ReadKey(arguments.GetRequiredValue(key));
        var folders = arguments.GetValue(witnesses) ?? [];
        var report = IsDryRun(arguments)
            ? await PlanAsync(path, signer, folders, cancellationToken).ConfigureAwait(false)
            : await WriteAsync(path, signer, folders, cancellationToken).ConfigureAwait(false);
        var exitCode = WriteDone(arguments, report, WriteText, report.WitnessProblems.Count == 0 ? ExitCode.Ok : ExitCode.Failed);
        foreach (var problem in report.WitnessProblems)
            Terminal.WriteError(problem);
        return exitCode;
    }

    private async Task<ProofCheckpointReport> PlanAsync(string path, ProofKey signer, string[] folders, CancellationToken cancellationToken)
    {
        var head = await StorePath.HeadAsync(path, Terminal, cancellationToken).ConfigureAwait(false);
        var missing = folders.Where(static folder => !Directory.Exists(folder)).Select(static folder => $"The witness {folder} is no folder.");
        return new ProofCheckpointReport(head, signer.Name, null, null, folders, [.. missing], IsDryRun: true);
    }

    private async Task<ProofCheckpointReport> WriteAsync(string path, ProofKey signer, string[] folders, CancellationToken cancellationToken)
    {
        var written = await ProofAnswer.OfAsync(WithProgressAsync(_ =>
            StoreProof.WriteCheckpointAsync(path, signer, folders, Terminal.TimeProvider, cancellationToken))).ConfigureAwait(false);
        var checkpoint = written.Checkpoint;
        return new ProofCheckpointReport(checkpoint.Position, signer.Name, checkpoint.Time, checkpoint.Text, folders,
            written.WitnessProblems, IsDryRun: false);
    }

    private void WriteText(ProofCheckpointReport report)
    {
        var reached = report.Witnesses.Count - report.WitnessProblems.Count;
        var to = report.Witnesses.Count == 0
            ? "to the store only. Keep a copy where those who could change the store cannot change it: --witness FOLDER."
            : $"to the store and to {reached} of {Text.Count(report.Witnesses.Count, "witness", "witnesses")}.";
        Terminal.Out.WriteLine($"{(report.IsDryRun ? "Would write" : "Wrote")} a checkpoint of {Text.Count(report.Position, "event")}, signed by "
            + $"{report.Signer}, {to}");
    }
}
