using System.Text.Json;

namespace Opossum;

/// <summary>An event of a store: the appended event with its position and timestamp.</summary>
public sealed class SequencedEvent
{
    // Most events have no personal values: their JSON is as stored.
    private static readonly OpenedJson asStored = new(ReadOnlyMemory<byte>.Empty);

    private readonly int metadataStart;
    private readonly long timestampTicks;
    private readonly byte[] content;
    private readonly int metadataLength;
    private readonly ushort conditionLength;
    private readonly IEventDecoder? decoder;
    // The tags, or the TagsReader that reads them from the beginning of the content at the first use, or, where rules give it more, RuledTags.
    private object tags;
    private OpenedJson? opened;
    private object? data;
    private bool dataWasRead;
    private IReadOnlyDictionary<string, string>? metadata;

    // Content is the JSON of the condition, if any, that of the metadata, if any, and that of the data. It never changes.
    internal SequencedEvent(long position, string type, int version, Tag[] tags, long timestampTicks, Guid id, byte[] content, int metadataLength,
        IEventDecoder? decoder, int conditionLength = 0)
        : this(position, type, version, (object)tags, timestampTicks, id, content, conditionLength, (ushort)conditionLength, metadataLength, decoder)
    {
    }

    // The same with the tags, as the reader reads them, in the content before all else.
    internal SequencedEvent(long position, string type, int version, TagsReader tags, long timestampTicks, Guid id, byte[] content,
        int tagsLength, int conditionLength, int metadataLength, IEventDecoder? decoder)
        : this(position, type, version, (object)tags, timestampTicks, id, content, tagsLength + conditionLength, (ushort)conditionLength,
            metadataLength, decoder)
    {
    }

    private SequencedEvent(long position, string type, int version, object tags, long timestampTicks, Guid id, byte[] content, int metadataStart,
        ushort conditionLength, int metadataLength, IEventDecoder? decoder)
    {
        Position = position;
        Type = type;
        Version = version;
        this.tags = tags;
        this.timestampTicks = timestampTicks;
        Id = id;
        this.content = content;
        this.metadataStart = metadataStart;
        this.conditionLength = conditionLength;
        this.metadataLength = metadataLength;
        this.decoder = decoder;
    }

    /// <summary>The event's position in the store, from 1.</summary>
    public long Position { get; }

    /// <summary>The stable name of the event's type, such as <c>student-enrolled</c>; never a CLR type name.</summary>
    public string Type { get; }

    /// <summary>The version of the JSON shape with which the event was appended, from 1.</summary>
    public int Version { get; }

    /// <summary>The event's tags, each once, in the order given, and then those that tag rules (<see cref="TagRule"/>) give it.</summary>
    public IReadOnlyList<Tag> Tags => TagArray;

    /// <summary>The time of the append, in UTC, by the clock of the appending machine.</summary>
    public DateTimeOffset Timestamp => new(timestampTicks, TimeSpan.Zero);

    /// <summary>The event's id, created by the appending process.</summary>
    public Guid Id { get; }

    /// <summary>
    /// The event's data: one JSON value in UTF-8, without insignificant white space, before any upcaster. Personal values are decrypted; those that
    /// cannot be read are null, and <c>UnreadableMembers</c> names them. The first use of an event with personal data may read key files, on the
    /// calling thread.
    /// </summary>
    /// <exception cref="PersonalDataException">A personal value or a key is damaged, or a key cannot be read.</exception>
    public ReadOnlyMemory<byte> Json => ReferenceEquals(Opened(), asStored) ? StoredJson : Opened().Json;

    /// <summary>The event's data as stored, without insignificant white space: personal values are encrypted (docs/forgetting.md).</summary>
    public ReadOnlyMemory<byte> StoredJson => content.AsMemory(metadataStart + metadataLength);

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
    /// The condition of the append whose first event this is, if the appending process keeps conditions
    /// (<see cref="OpossumOptions.KeepConditions"/>). Null: the append had none, it was not kept, its query has more than 32 KiB as text, or
    /// had a value that was redacted in the event, or this is not the first event. Its tags are as the store has them: pseudonyms are hashes. Read
    /// from its text at each use.
    /// </summary>
    /// <exception cref="EventDataException">It cannot be read: the event was forged.</exception>
    /// <example><code>
    /// if (e.Condition is { } condition)
    /// {
    ///     // What the append would have conflicted with: nothing, unless the history was changed.
    ///     var since = new ReadOptions { After = condition.After ?? 0, UpTo = e.Position - 1 };
    ///     var conflicts = await store.ReadAsync(condition.FailIfEventsMatch, since).ToListAsync();
    /// }
    /// </code></example>
    public AppendCondition? Condition => conditionLength == 0 ? null : decoder?.ReadCondition(this);

    /// <summary>The same event at another position, for a store that shows a part of another one.</summary>
    internal SequencedEvent At(long position) =>
        new(position, Type, Version, tags, timestampTicks, Id, content, metadataStart, conditionLength, metadataLength, decoder);

    /// <summary>The same event with the tags that rules give it, too.</summary>
    /// <param name="tagsOf">Gives all tags, of its type, its own tags and its JSON as stored.</param>
    internal SequencedEvent With(Func<string, Tag[], ReadOnlySpan<byte>, Tag[]> tagsOf) =>
        tagsOf(Type, TagArray, StoredJson.Span) is var all && ReferenceEquals(all, TagArray) ? this
            : new(Position, Type, Version, new RuledTags(all, TagArray), timestampTicks, Id, content, metadataStart, conditionLength,
                metadataLength, decoder);

    internal ReadOnlySpan<byte> ConditionJson => content.AsSpan(metadataStart - conditionLength, conditionLength);

    internal ReadOnlyMemory<byte> MetadataJson => content.AsMemory(metadataStart, metadataLength);

    /// <summary>The event's JSON with its personal values.</summary>
    internal OpenedJson Opened() => opened ??= decoder?.Open(this) ?? asStored;

    /// <summary>Whether the event has a tag, which may be a pseudonym.</summary>
    internal bool Has(Tag tag) => TagArray.AsSpan().Contains(tag.IsPseudonym && decoder is not null ? decoder.Resolve(tag) : tag);

    /// <summary>The tags that the event was appended with, without those of rules.</summary>
    internal Tag[] OwnTags => tags is RuledTags ruled ? ruled.Own : TagArray;

    /// <summary>Whether a tag names the person that the event is about: one of its own, or, where it has none of the key, one of a rule.</summary>
    internal bool IsAbout(Tag person) => (Array.Exists(OwnTags, tag => tag.Key == person.Key) ? OwnTags : TagArray).AsSpan().Contains(person);

    /// <summary>Position and type, for messages and debuggers.</summary>
    public override string ToString() => $"{Position} {Type}";

    private Tag[] TagArray
    {
        get
        {
            var known = Volatile.Read(ref tags);
            if (known is Tag[] read)
                return read;
            if (known is RuledTags ruled)
                return ruled.All;
            read = ((TagsReader)known)(content.AsSpan(0, metadataStart - conditionLength));
            Volatile.Write(ref tags, read);
            return read;
        }
    }

    private IReadOnlyDictionary<string, string> ReadMetadata() =>
        metadataLength == 0 ? System.Collections.ObjectModel.ReadOnlyDictionary<string, string>.Empty : EntriesOf(MetadataJson.Span);

    internal static Dictionary<string, string> EntriesOf(ReadOnlySpan<byte> json)
    {
        var entries = new Dictionary<string, string>(StringComparer.Ordinal);
        if (json.IsEmpty)
            return entries;
        var reader = new Utf8JsonReader(json);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var key = reader.GetString()!;
            reader.Read();
            entries[key] = reader.GetString()!;
        }
        return entries;
    }

    private sealed record RuledTags(Tag[] All, Tag[] Own);
}
