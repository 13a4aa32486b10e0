using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Makes a master key.</summary>
internal sealed class MasterKeyNewCommand : CliCommand
{
    private readonly Argument<string> file = new("file") { Description = "The file to write: it must not exist, nor lie in a store's folder" };

    public MasterKeyNewCommand(Terminal terminal)
        : base(terminal, "new", "Write a new master key to a file that only this user may read",
            "opossum master-key new sales.masterkey")
        => Add(file, Json);

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = arguments.GetRequiredValue(file);
        if (path.Length == 0)
            throw new CliException(ExitCode.Usage, "The path of the file is empty. Nothing was changed.");
        if (StorePath.FindAround(path) is { } store)
        {
            throw new CliException(ExitCode.Usage, $"{path} lies in the store {store}: a copy of the store would hold the key. Choose a file "
                + "outside. Nothing was changed.");
        }
        var key = MasterKey.Create();
        MasterKeyFile.Create(path, key);
        var report = new MasterKeyReport(Path.GetFullPath(path), key.Id, IsChanged: true, IsDryRun: false);
        return Task.FromResult(WriteDone(arguments, report, made => Terminal.Out.WriteLine(
            $"{made.Path} has a new master key, {made.Id}. Back it up apart from the store: without it, all personal data is lost.")));
    }
}
