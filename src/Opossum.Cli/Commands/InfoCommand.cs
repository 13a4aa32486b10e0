using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Shows what is in a store: its head, event types, tag keys and growth.</summary>
internal sealed class InfoCommand : StoreCommand
{
    private readonly Option<bool> sizes = new("--sizes") { Description = "Also measure the files, which opens every one of them" };
    private readonly Option<bool> disk = new("--disk") { Description = "Also time a flush of the disk, in a file that it writes and removes" };

    public InfoCommand(Terminal terminal)
        : base(terminal, "info", "Show what is in a store: head, event types, tags, growth by day",
            "opossum info sales",
            "opossum info sales --sizes",
            "opossum info sales --disk",
            "opossum info sales --json")
        => Add(sizes, disk);

    // It waits instead of being asynchronous, so that little is compiled before it answers; see docs/decisions/0026.
    public override ExitCode Run(ParseResult arguments, CancellationToken cancellationToken)
    {
        var report = InfoReport.Read(StoreOf(arguments), arguments.GetValue(sizes), arguments.GetValue(disk), Terminal, cancellationToken);
        return Write(arguments, report, new InfoText(Terminal).Write);
    }

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken) =>
        Task.FromResult(Run(arguments, cancellationToken));
}
