using System.Text.Json.Serialization;

namespace Opossum.Cli.Commands;

/// <summary>The reports as JSON: camelCase, indented, enum values as text.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UseStringEnumConverter = true,
    WriteIndented = true,
    NewLine = "\n")]
[JsonSerializable(typeof(InfoReport))]
internal sealed partial class ReportJson : JsonSerializerContext;
