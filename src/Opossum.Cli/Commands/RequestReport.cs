using System.Text.Json.Serialization;

namespace Opossum.Cli.Commands;

/// <summary>The report of a request to a projection or a reaction.</summary>
internal sealed record RequestReport
{
    /// <summary>The projection's name; null: the request is to a reaction.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Projection { get; init; }

    /// <summary>The reaction's name; null: the request is to a projection.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Reaction { get; init; }

    /// <summary>What was requested, in words.</summary>
    public required string Request { get; init; }

    public required bool IsDryRun { get; init; }
}
