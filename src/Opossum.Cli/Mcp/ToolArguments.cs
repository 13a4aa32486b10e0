using System.Text.Json;

namespace Opossum.Cli.Mcp;

/// <summary>The arguments of a tool's call.</summary>
internal sealed class ToolArguments(IDictionary<string, JsonElement> arguments)
{
    public string? Text(string name) => Find(name) is not { } found ? null
        : found.ValueKind == JsonValueKind.String ? found.GetString()
        : throw Wrong(name, "a text");

    public long? Number(string name) => Find(name) is not { } found ? null
        : found.ValueKind == JsonValueKind.Number && found.TryGetInt64(out var number) && number >= 0 ? number
        : throw Wrong(name, "a whole number from 0");

    public IReadOnlyList<string> Texts(string name)
    {
        if (Find(name) is not { } found)
            return [];
        if (found.ValueKind != JsonValueKind.Array || found.EnumerateArray().Any(static each => each.ValueKind != JsonValueKind.String))
            throw Wrong(name, "a list of texts");
        return [.. found.EnumerateArray().Select(static each => each.GetString()!)];
    }

    private JsonElement? Find(string name) =>
        arguments.TryGetValue(name, out var found) && found.ValueKind is not (JsonValueKind.Null or JsonValueKind.Undefined) ? found : null;

    private static CliException Wrong(string name, string shape) => new(ExitCode.Usage, $"The argument {name} is not {shape}.");
}
