using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Makes a key that signs checkpoints, and its verifier.</summary>
internal sealed class ProofKeyCommand : CliCommand
{
    private readonly Argument<string> file = new("file")
    {
        Description = "The file of the private key, outside every store; its verifier lies beside it",
    };
    private readonly Option<string> name = new("--name")
    {
        Description = "The name that every signature states, such as the app's domain",
        HelpName = "name",
        Required = true,
    };

    public ProofKeyCommand(Terminal terminal)
        : base(terminal, "key", "Make a key that signs checkpoints, and its verifier",
            "opossum proof key sales.key --name shop.example     also writes sales.verifier")
    {
        Add(file, name, DryRun, Json);
        DryRun.Description = "Show what would be written, and write nothing";
    }

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = arguments.GetRequiredValue(file);
        if (path.Length == 0)
            throw new CliException(ExitCode.Usage, "The path of the key is empty. Pass the file in which to write it.");
        var verifierPath = Path.ChangeExtension(path, ".verifier");
        ThrowIfUnfit(path, verifierPath);
        using var key = ProofKey.Create(arguments.GetRequiredValue(name));
        var isDryRun = IsDryRun(arguments);
        if (!isDryRun)
            WriteBoth(path, key, verifierPath);
        var report = new ProofKeyReport(Path.GetFullPath(path), Path.GetFullPath(verifierPath),
            isDryRun ? null : key.Verifier.ToString(), isDryRun);
        return Task.FromResult(WriteDone(arguments, report, WriteText));
    }

    private static void ThrowIfUnfit(string path, string verifierPath)
    {
        if (path == verifierPath)
        {
            throw new CliException(ExitCode.Usage,
                $"{path} is the name of the verifier. Give the key another ending, such as .key. Nothing was written.");
        }
        if (StorePath.FindAround(path) is { } store)
        {
            throw new CliException(ExitCode.Usage, $"{path} is inside the store {store}. Anyone who can change the store could then sign another "
                + "history. Choose a file outside. Nothing was written.");
        }
        NewFile.ThrowIfExists(path, isKey: true);
        NewFile.ThrowIfExists(verifierPath, isKey: true);
    }

    private static void WriteBoth(string path, ProofKey key, string verifierPath)
    {
        NewFile.Write(path, key.ToPem(), isSecret: true);
        try
        {
            NewFile.Write(verifierPath, $"{key.Verifier}\n");
        }
        catch
        {
            File.Delete(path);
            throw;
        }
    }

    private void WriteText(ProofKeyReport report)
    {
        Terminal.Out.WriteLine(report.IsDryRun
            ? $"Would write a new private key to {report.Key}, and its verifier to {report.Verifier}."
            : $"Wrote a new private key to {report.Key}: keep it secret, beside the app and not in the store.");
        if (!report.IsDryRun)
            Terminal.Out.WriteLine($"Wrote its verifier to {report.Verifier}, for those who verify:");
        if (report.VerifierText is { } text)
            Terminal.Out.WriteLine(text);
    }
}
