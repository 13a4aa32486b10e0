using System.CommandLine;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Reads the states of a projection.</summary>
internal sealed class ProjectionsStatesCommand : StoreCommand
{
    private static readonly JsonSerializerOptions compact = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly Argument<string> name = new("name") { Description = "The projection's name" };
    private readonly Option<string?> key = new("--key") { Description = "Only the state of this key", HelpName = "key" };

    public ProjectionsStatesCommand(Terminal terminal)
        : base(terminal, "states", "Read the states of a projection; --json writes a line each",
            "opossum projections states sales customers",
            "opossum projections states sales customers --key c7",
            "opossum projections states sales customers --json")
        => Add(name, key);

    public override string? WhenCancelled => null;

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var projection = arguments.GetRequiredValue(name);
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        await FollowerKind.Projection.ThrowIfUnknownAsync(store, projection, cancellationToken).ConfigureAwait(false);
        if (arguments.GetValue(key) is { } wanted)
        {
            WriteState(arguments, await FindAsync(wanted).ConfigureAwait(false)
                ?? throw new CliException(ExitCode.Negative, $"The projection {projection} has no state for the key {Text.Visible(wanted)}."));
            return ExitCode.Ok;
        }
        // What is read here lacks personal values, which are shown as they are stored. Pages would list the names of all states for each of them.
        await foreach (var entry in store.Projections.Get<JsonNode>(projection).ReadAllAsync(cancellationToken).ConfigureAwait(false))
        {
            if (await FindAsync(entry.Key).ConfigureAwait(false) is { } stored)
                WriteState(arguments, stored);
        }
        return ExitCode.Ok;

        Task<ProjectionEntry<byte[]>?> FindAsync(string of) => store.Projections[projection].GetStoredStateAsync(of, cancellationToken);
    }

    private void WriteState(ParseResult arguments, ProjectionEntry<byte[]> stored)
    {
        var state = JsonNode.Parse(stored.State);
        if (WantsJson(arguments))
            Terminal.Out.WriteLine(new JsonObject { ["key"] = stored.Key, ["state"] = state }.ToJsonString(compact));
        else
            Terminal.Out.WriteLine($"{Terminal.Paint(Style.Bold, Text.Visible(stored.Key))}  {Text.Visible(state?.ToJsonString(compact) ?? "null")}");
    }
}
