using System.Text.Json.Serialization;
using Opossum.Cli.Benching;

namespace Opossum.Cli.Commands;

/// <summary>The reports as JSON: camelCase, indented, enum values as text.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UseStringEnumConverter = true,
    WriteIndented = true,
    NewLine = "\n")]
[JsonSerializable(typeof(BenchReport))]
[JsonSerializable(typeof(InfoReport))]
internal sealed partial class ReportJson : JsonSerializerContext;
