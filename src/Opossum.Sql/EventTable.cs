using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using DuckDB.NET.Data;

namespace Opossum.Sql;

/// <summary>The table of a store's events.</summary>
internal static class EventTable
{
    private const string Create = """
        create table events (position bigint primary key, type varchar, version integer, tags varchar[], timestamp timestamp, id uuid,
            metadata json, data json)
        """;

    private static readonly JsonSerializerOptions readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Makes the table and reads all events into it; the store is only read.</summary>
    public static async Task FillAsync(DuckDBConnection database, string path)
    {
        using (var command = database.CreateCommand())
        {
            command.CommandText = Create;
            command.ExecuteNonQuery();
        }
        var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true })
            .ConfigureAwait(false);
        await using var opened = store.ConfigureAwait(false);
        using var rows = database.CreateAppender("events");
        await foreach (var e in store.ReadAsync(Query.All).ConfigureAwait(false))
        {
            rows.CreateRow()
                .AppendValue(e.Position)
                .AppendValue(e.Type)
                .AppendValue(e.Version)
                .AppendValue(e.Tags.Select(static tag => tag.ToString()).ToList())
                .AppendValue(e.Timestamp.UtcDateTime)
                .AppendValue(e.Id)
                .AppendValue(MetadataOf(e))
                .AppendValue(Encoding.UTF8.GetString(e.Json.Span))
                .EndRow();
        }
    }

    private static string MetadataOf(SequencedEvent e) => new JsonObject(e.Metadata.Select(
        static entry => KeyValuePair.Create(entry.Key, (JsonNode?)entry.Value))).ToJsonString(readable);
}
