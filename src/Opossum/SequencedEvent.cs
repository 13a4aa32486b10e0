using System.Text.Json;

namespace Opossum;

/// <summary>An event of a store: what was appended, with its position and its time.</summary>
public sealed class SequencedEvent
{
    private readonly Tag[] tags;
    private readonly long timestampTicks;
    private readonly byte[] content;
    private readonly int metadataLength;
    private readonly Func<SequencedEvent, object?> readData;
    private object? data;
    private bool dataWasRead;
    private IReadOnlyDictionary<string, string>? metadata;

    // Content is the metadata's JSON, if there is any, and behind it the data's; nobody changes it any more.
    internal SequencedEvent(long position, string type, int version, Tag[] tags, long timestampTicks, Guid id, byte[] content, int metadataLength, Func<SequencedEvent, object?> readData)
    {
        Position = position;
        Type = type;
        Version = version;
        this.tags = tags;
        this.timestampTicks = timestampTicks;
        Id = id;
        this.content = content;
        this.metadataLength = metadataLength;
        this.readData = readData;
    }

    /// <summary>Its place in the store, from 1.</summary>
    public long Position { get; }

    /// <summary>Its type's stable name, such as <c>student-enrolled</c>; never a CLR type name.</summary>
    public string Type { get; }

    /// <summary>The version of its JSON's shape, from 1, as it was appended.</summary>
    public int Version { get; }

    /// <summary>Its tags, each once, in the order given.</summary>
    public IReadOnlyList<Tag> Tags => tags;

    /// <summary>When it was appended, in UTC, by the clock of the appending machine.</summary>
    public DateTimeOffset Timestamp => new(timestampTicks, TimeSpan.Zero);

    /// <summary>Its id, made by the appending side.</summary>
    public Guid Id { get; }

    /// <summary>Its data as it is stored: one JSON value in UTF-8, without insignificant white space, before any upcaster.</summary>
    public ReadOnlyMemory<byte> Json => content.AsMemory(metadataLength);

    /// <summary>Its data as an object of the registered CLR type, upcast to that type's version. Made at the first call and kept.</summary>
    /// <exception cref="EventDataException">The type is not registered, an upcaster is missing or failed, or the JSON does not fit.</exception>
    public object? Data
    {
        get
        {
            if (!Volatile.Read(ref dataWasRead))
            {
                data = readData(this);
                Volatile.Write(ref dataWasRead, true);
            }
            return data;
        }
    }

    /// <summary>What was given as metadata; empty when nothing was.</summary>
    public IReadOnlyDictionary<string, string> Metadata => metadata ??= ReadMetadata();

    internal ReadOnlyMemory<byte> MetadataJson => content.AsMemory(0, metadataLength);

    /// <summary>Position and type, for messages and debuggers.</summary>
    public override string ToString() => $"{Position} {Type}";

    private IReadOnlyDictionary<string, string> ReadMetadata()
    {
        if (metadataLength == 0)
            return System.Collections.ObjectModel.ReadOnlyDictionary<string, string>.Empty;
        var entries = new Dictionary<string, string>(StringComparer.Ordinal);
        var reader = new Utf8JsonReader(MetadataJson.Span);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var key = reader.GetString()!;
            reader.Read();
            entries[key] = reader.GetString()!;
        }
        return entries;
    }
}
