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
        var states = store.Projections.Get<JsonNode>(projection);
        if (arguments.GetValue(key) is { } wanted)
        {
            var state = await states.GetAsync(wanted, cancellationToken).ConfigureAwait(false)
                ?? throw new CliException(ExitCode.Negative, $"The projection {projection} has no state for the key {Text.Visible(wanted)}.");
            WriteState(arguments, wanted, state);
            return ExitCode.Ok;
        }
        await foreach (var entry in states.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            WriteState(arguments, entry.Key, entry.State);
        return ExitCode.Ok;
    }

    private void WriteState(ParseResult arguments, string of, JsonNode state)
    {
        if (WantsJson(arguments))
            Terminal.Out.WriteLine(new JsonObject { ["key"] = of, ["state"] = state.DeepClone() }.ToJsonString(compact));
        else
            Terminal.Out.WriteLine($"{Terminal.Paint(Style.Bold, Text.Visible(of))}  {Text.Visible(state.ToJsonString(compact))}");
    }
}
