using System.CommandLine;
using Opossum.Cli.Mcp;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Serves a store to an assistant on the standard input and output.</summary>
internal sealed class McpCommand : CliCommand
{
    private readonly Argument<string> store = new("store") { Description = "The store's folder" };

    public McpCommand(Terminal terminal)
        : base(terminal, "mcp", "Serve a store to an assistant, reading only, by the Model Context Protocol on stdio",
            """{ "mcpServers": { "sales": { "command": "opossum", "args": ["mcp", "/data/sales"] } } }""")
        => Add(store);

    public override string? WhenCancelled => null;

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        await using var opened = await StorePath.OpenForReadingAsync(arguments.GetRequiredValue(store), Terminal, cancellationToken)
            .ConfigureAwait(false);
        await using var input = Console.OpenStandardInput();
        await using var output = StandardOutput.Open();
        await StoreServer.RunAsync(opened, input, output, Terminal.TimeProvider, cancellationToken).ConfigureAwait(false);
        return ExitCode.Ok;
    }
}
