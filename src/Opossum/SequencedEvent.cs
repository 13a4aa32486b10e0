using System.Text.Json;

namespace Opossum;

/// <summary>An event of a store: the appended event with its position and timestamp.</summary>
public sealed class SequencedEvent
{
    // Most events have no personal values: their JSON is as stored.
    private static readonly OpenedJson asStored = new(default, []);

    private readonly int metadataStart;
    private readonly long timestampTicks;
    private readonly byte[] content;
    private readonly int metadataLength;
    private readonly IEventDecoder? decoder;
    // The tags, or the TagsReader that reads them from the beginning of the content at the first use.
    private object tags;
    private OpenedJson? opened;
    private object? data;
    private bool dataWasRead;
    private IReadOnlyDictionary<string, string>? metadata;

    // Content is the JSON of the metadata, if any, followed by the JSON of the data. It never changes.
    internal SequencedEvent(long position, string type, int version, Tag[] tags, long timestampTicks, Guid id, byte[] content, int metadataLength,
        IEventDecoder? decoder)
        : this(position, type, version, (object)tags, timestampTicks, id, content, metadataStart: 0, metadataLength, decoder)
    {
    }

    // The same with the tags, as the reader reads them, in the content before the metadata.
    internal SequencedEvent(long position, string type, int version, TagsReader tags, long timestampTicks, Guid id, byte[] content,
        int metadataStart, int metadataLength, IEventDecoder? decoder)
        : this(position, type, version, (object)tags, timestampTicks, id, content, metadataStart, metadataLength, decoder)
    {
    }

    private SequencedEvent(long position, string type, int version, object tags, long timestampTicks, Guid id, byte[] content, int metadataStart,
        int metadataLength, IEventDecoder? decoder)
    {
        Position = position;
        Type = type;
        Version = version;
        this.tags = tags;
        this.timestampTicks = timestampTicks;
        Id = id;
        this.content = content;
        this.metadataStart = metadataStart;
        this.metadataLength = metadataLength;
        this.decoder = decoder;
    }

    /// <summary>The event's position in the store, from 1.</summary>
    public long Position { get; }

    /// <summary>The stable name of the event's type, such as <c>student-enrolled</c>; never a CLR type name.</summary>
    public string Type { get; }

    /// <summary>The version of the JSON shape with which the event was appended, from 1.</summary>
    public int Version { get; }

    /// <summary>The event's tags, each once, in the order given.</summary>
    public IReadOnlyList<Tag> Tags => TagArray;

    /// <summary>The time of the append, in UTC, by the clock of the appending machine.</summary>
    public DateTimeOffset Timestamp => new(timestampTicks, TimeSpan.Zero);

    /// <summary>The event's id, created by the appending process.</summary>
    public Guid Id { get; }

    /// <summary>
    /// The event's data: one JSON value in UTF-8, without insignificant white space, before any upcaster. Personal values are decrypted; those that
    /// cannot be read are null, and <see cref="LostMembers"/> names them. The first use of an event with personal data may read key files, on the
    /// calling thread.
    /// </summary>
    /// <exception cref="PersonalDataException">A personal value or a key is damaged, or a key cannot be read.</exception>
    public ReadOnlyMemory<byte> Json => ReferenceEquals(Opened(), asStored) ? StoredJson : Opened().Json;

    /// <summary>The event's data as stored, without insignificant white space: personal values are encrypted (docs/forgetting.md).</summary>
    public ReadOnlyMemory<byte> StoredJson => content.AsMemory(metadataStart + metadataLength);

    /// <summary>The personal members that cannot be read, because the person was forgotten or the keys are not there. Usually none.</summary>
    /// <exception cref="PersonalDataException">A personal value or a key is damaged, or a key cannot be read.</exception>
    public IReadOnlyList<LostMember> LostMembers => Opened().Lost;

    /// <summary>The event's data as an object of the registered CLR type, upcast to that type's version. Created on first access and kept.</summary>
    /// <exception cref="EventDataException">The type is not registered, an upcaster is missing or failed, or the JSON does not fit the
    /// type.</exception>
    /// <exception cref="PersonalDataException">A personal value or a key is damaged, or a key cannot be read.</exception>
    public object? Data
    {
        get
        {
            if (!Volatile.Read(ref dataWasRead))
            {
                data = decoder?.ReadData(this);
                Volatile.Write(ref dataWasRead, true);
            }
            return data;
        }
    }

    /// <summary>The event's metadata; empty when there is none.</summary>
    public IReadOnlyDictionary<string, string> Metadata => metadata ??= ReadMetadata();

    /// <summary>
    /// Starts the processing of this event by a subscriber: until it is disposed, an activity continues the trace of the append, and appended events
    /// name this event as their cause. Both need <see cref="OpossumOptions.EnrichMetadata"/> on the appending side.
    /// </summary>
    /// <example><code>
    /// await foreach (var e in store.SubscribeAsync(query, after, cancellationToken))
    /// {
    ///     using var processing = e.StartProcessing();
    ///     await HandleAsync(e, cancellationToken);
    /// }
    /// </code></example>
    public EventProcessing StartProcessing() => new(this);

    /// <summary>The same event at another position, for a store that shows a part of another one.</summary>
    internal SequencedEvent At(long position) =>
        new(position, Type, Version, tags, timestampTicks, Id, content, metadataStart, metadataLength, decoder);

    internal ReadOnlyMemory<byte> MetadataJson => content.AsMemory(metadataStart, metadataLength);

    /// <summary>Whether the event has a tag, which may be a pseudonym.</summary>
    internal bool Has(Tag tag) => TagArray.AsSpan().Contains(tag.IsPseudonym && decoder is not null ? decoder.Resolve(tag) : tag);

    /// <summary>Position and type, for messages and debuggers.</summary>
    public override string ToString() => $"{Position} {Type}";

    private Tag[] TagArray
    {
        get
        {
            var known = Volatile.Read(ref tags);
            if (known is Tag[] read)
                return read;
            read = ((TagsReader)known)(content.AsSpan(0, metadataStart));
            Volatile.Write(ref tags, read);
            return read;
        }
    }

    private OpenedJson Opened() => opened ??= decoder?.Open(this) ?? asStored;

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
