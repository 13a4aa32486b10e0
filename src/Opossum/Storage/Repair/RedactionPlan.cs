using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage.Repair;

/// <summary>
/// A redaction that has begun: a file in the store's folder until it has ended, so that it can be finished after a crash. It holds nothing of what is
/// redacted.
/// </summary>
/// <param name="Id">Names its requests to projections.</param>
/// <param name="Events">The positions, ascending, with the ids of their events: a truncation may have given a position to another one since.</param>
internal sealed record RedactionPlan(Guid Id, EventRedaction Redaction, IReadOnlyList<(long Position, Guid Id)> Events)
{
    public void Write(IFileSystem fileSystem, StoreLayout layout) => DurableFile.Replace(fileSystem, layout.RedactionFile, JsonFile.Checked(json =>
    {
        json.WriteString("id"u8, Id);
        RedactionRecord.Write(json, Redaction);
        json.WriteStartArray("events"u8);
        foreach (var (position, id) in Events)
        {
            json.WriteStartObject();
            json.WriteNumber("position"u8, position);
            json.WriteString("id"u8, id);
            json.WriteEndObject();
        }
        json.WriteEndArray();
    }));

    /// <summary>Parses the file.</summary>
    /// <exception cref="StoreMaintenanceException">It is damaged.</exception>
    public static RedactionPlan Parse(string path, ReadOnlySpan<byte> file) => JsonFile.ParseChecked(file, Of, out var problem)
        ?? throw new StoreMaintenanceException(path,
            $"{path} {problem}. It says which redaction is not finished. Move it away, and redact the same members of the same events again. "
                + "Nothing was changed.");

    public static void Delete(IFileSystem fileSystem, StoreLayout layout)
    {
        fileSystem.Delete(layout.RedactionFile);
        fileSystem.FlushFolder(layout.Root);
    }

    private static RedactionPlan Of(JsonElement plan) => new(plan.GetProperty("id").GetGuid(), RedactionRecord.Read(plan),
        [.. plan.GetProperty("events").EnumerateArray()
            .Select(static each => (each.GetProperty("position").GetInt64(), each.GetProperty("id").GetGuid()))]);
}
