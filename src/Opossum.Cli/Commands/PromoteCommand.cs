using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Makes a replica the store.</summary>
internal sealed class PromoteCommand : CliCommand
{
    private readonly Argument<string> replica = new("replica") { Description = "The folder that followed the store" };

    public PromoteCommand(Terminal terminal)
        : base(terminal, "promote", "Make a replica the store, when the former one is lost",
            "opossum promote /mnt/nas/sales",
            "opossum promote /mnt/nas/sales --json")
        => Add(replica, Json);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = arguments.GetRequiredValue(replica);
        StorePath.ThrowIfNoStore(path);
        var report = await StoreReplica.PromoteAsync(path, cancellationToken).ConfigureAwait(false);
        return WriteDone(arguments, report, Terminal.Out.WriteLine);
    }
}
