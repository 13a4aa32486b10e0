using System.Text.Json;
using System.Text.Json.Serialization;
using Opossum.Cli.Events;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>The reports as JSON: camelCase, indented, enum values as text.</summary>
[JsonSourceGenerationOptions(
    MaxDepth = JsonBytes.FileDepthMax,
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UseStringEnumConverter = true,
    WriteIndented = true,
    Converters = [typeof(TagText)],
    NewLine = "\n")]
[JsonSerializable(typeof(AppendReport))]
[JsonSerializable(typeof(CheckReport))]
[JsonSerializable(typeof(CountReport))]
[JsonSerializable(typeof(DiffReport))]
[JsonSerializable(typeof(DryRunReport))]
[JsonSerializable(typeof(EventCommit))]
[JsonSerializable(typeof(EventFileMembers))]
[JsonSerializable(typeof(ForgetReport))]
[JsonSerializable(typeof(InfoReport))]
[JsonSerializable(typeof(KeysReport))]
[JsonSerializable(typeof(MasterKeyReport))]
[JsonSerializable(typeof(MigrateReport))]
[JsonSerializable(typeof(NewReport))]
[JsonSerializable(typeof(ParkedReport))]
[JsonSerializable(typeof(PersonalDataSearchReport))]
[JsonSerializable(typeof(ProjectionsReport))]
[JsonSerializable(typeof(ProofBuildReport))]
[JsonSerializable(typeof(ProofCheckpointReport))]
[JsonSerializable(typeof(ProofKeyReport))]
[JsonSerializable(typeof(ProveReport))]
[JsonSerializable(typeof(RepairOpenReport))]
[JsonSerializable(typeof(ReactionsReport))]
[JsonSerializable(typeof(ReplicaReport))]
[JsonSerializable(typeof(RequestReport))]
[JsonSerializable(typeof(SealingReport))]
[JsonSerializable(typeof(BackupReport))]
[JsonSerializable(typeof(ExportReport))]
[JsonSerializable(typeof(ImportReport))]
[JsonSerializable(typeof(PromotionReport))]
[JsonSerializable(typeof(RedactionReport))]
[JsonSerializable(typeof(RepairReport))]
[JsonSerializable(typeof(SchemasReport))]
[JsonSerializable(typeof(SnapshotsReport))]
[JsonSerializable(typeof(TagRuleReport))]
[JsonSerializable(typeof(TagRulesReport))]
[JsonSerializable(typeof(TypesReport))]
[JsonSerializable(typeof(VerifyProofReport))]
[JsonSerializable(typeof(VerifyReport))]
internal sealed partial class ReportJson : JsonSerializerContext
{
    private sealed class TagText : JsonConverter<Tag>
    {
        public override Tag Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            Opossum.Tag.Parse(reader.GetString()!);

        public override void Write(Utf8JsonWriter writer, Tag value, JsonSerializerOptions options) => writer.WriteStringValue(value.ToString());
    }
}
