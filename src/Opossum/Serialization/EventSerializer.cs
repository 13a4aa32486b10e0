using System.Buffers;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using static System.FormattableString;

namespace Opossum.Serialization;

/// <summary>Converts new events to checked bytes, and the bytes of stored events to objects.</summary>
internal sealed class EventSerializer
{
    private readonly EventTypeRegistry types;
    private readonly int payloadBytesMax;

    /// <param name="types">The event types; the constructor freezes them.</param>
    /// <param name="payloadBytesMax">The largest data, and the largest metadata, of one event in bytes of compact JSON.</param>
    /// <exception cref="InvalidOperationException">The event types contradict each other.</exception>
    public EventSerializer(EventTypeRegistry types, int payloadBytesMax)
    {
        types.Freeze();
        this.types = types;
        this.payloadBytesMax = payloadBytesMax;
    }

    /// <summary>Checks and serializes the events of one append.</summary>
    /// <param name="context">Entries to add to the metadata of each event that does not have them; null: none.</param>
    /// <exception cref="ArgumentException">An event is not allowed; the message names its index.</exception>
    public PreparedEvent[] Prepare(IReadOnlyList<NewEvent> events, IReadOnlyList<KeyValuePair<string, string>>? context = null)
    {
        ArgumentNullException.ThrowIfNull(events);
        if (events.Count == 0)
            throw new ArgumentException("There are no events; an append needs at least one.", nameof(events));

        var prepared = new PreparedEvent[events.Count];
        var indexById = events.Count > 1 ? new Dictionary<Guid, int>(events.Count) : null;
        for (var index = 0; index < prepared.Length; index++)
        {
            var e = events[index] ?? throw new ArgumentNullException(nameof(events), Invariant($"events[{index}] is null."));
            if (indexById?.TryAdd(e.Id, index) == false)
            {
                throw new ArgumentException(string.Create(CultureInfo.InvariantCulture,
                    $"events[{index}] has the same id as events[{indexById[e.Id]}], {e.Id}; each event must "
                    + $"have its own id."), nameof(events));
            }

            try
            {
                var content = e.Data is { } data ? PrepareObject(e, data) : PrepareJson(e);
                NameRules.RefuseReserved(content.Tags);
                if (!e.IsOfStore)
                    NameRules.RefuseReserved(content.Type);
                if (context is not null)
                    content = content with { Metadata = Checked(EnrichedMetadata.Of(e.Metadata, content.OwnMetadata, context)) };
                prepared[index] = content;
            }
            catch (Exception exception) when (exception is ArgumentException or JsonException)
            {
                throw NotAllowed(nameof(events), index, exception);
            }
        }
        return prepared;
    }

    /// <summary>An event's data as an object of its registered type; null when the JSON is null.</summary>
    /// <exception cref="EventDataException">
    /// The type is not registered, the version is unknown, an upcaster failed, or the JSON does not fit the type.
    /// </exception>
    public object? Read(SequencedEvent e)
    {
        var type = types.Find(e.Type)
            ?? throw Error(e,
            "is not registered: register its CLR type before the store is opened, with options.EventTypes.Add<T>() or "
                + "options.EventTypes.AddAssembly(...). Its Json can be read without a registered type.");
        if (e.Version > type.Version)
        {
            throw Error(e,
                string.Create(CultureInfo.InvariantCulture,
                    $"was written by a newer version of the app: it has version {e.Version}, but {type.ClrType} is registered with version "
                    + $"{type.Version}."), isOfNewerVersion: true);
        }

        // Before what blames the event: a key that cannot be read for now is no fault of it.
        var stored = e.Json;
        var upcast = e.Version < type.Version ? Upcast(e, type) : null;
        if (type.Content is { HasPlaceholders: true } content && e.Opened().Unreadable.ToList() is { Count: > 0 } lost)
        {
            var json = JsonNode.Parse(stored.Span);
            upcast = upcast is null
                ? content.Shape.WithPlaceholders(json, new LostPlaces(lost))
                : content.Shape.WithPlaceholders(upcast, new LostPlaces(lost, json, upcast));
        }
        try
        {
            return upcast is null ? JsonSerializer.Deserialize(stored.Span, type.Json!) : upcast.Deserialize(type.Json!);
        }
        catch (Exception exception)
        {
            throw Error(e, $"cannot be converted to {type.ClrType}: {exception.Message}{AdviceOn(exception, e, type)}", exception);
        }
    }

    /// <summary>The condition of the event's append; null when its query was not kept.</summary>
    /// <exception cref="EventDataException">It is none.</exception>
    public static AppendCondition? ReadCondition(SequencedEvent e)
    {
        try
        {
            return KeptCondition.Read(e.ConditionJson);
        }
        catch (Exception exception) when (exception is JsonException or KeyNotFoundException or InvalidOperationException or FormatException
            or ArgumentException)
        {
            throw Error(e, $"has a condition that cannot be read: {exception.Message}", exception);
        }
    }

    private static string AdviceOn(Exception exception, SequencedEvent e, RegisteredEventType type)
    {
        if (exception is not JsonException)
            return "";
        if (e.Version < type.Version)
        {
            return string.Create(CultureInfo.InvariantCulture,
                    $" The upcasters of {NameRules.Quote(type.Name)} converted the JSON from version {e.Version} to {type.Version}, and "
                + $"their result must fit the class.");
        }

        return string.Create(CultureInfo.InvariantCulture,
                    $" It has version {e.Version}, and the class is registered with version {type.Version}. If the class has changed since, "
            + $"raise its version and add an upcaster to the next version: EventTypes.AddUpcaster({NameRules.Quote(type.Name)}, fromVersion: "
            + $"{type.Version}, ...). EventTypes.AllowUnknownOrMissingMembers() allows unknown and missing members.");
    }

    /// <summary>The error of an event that cannot be appended.</summary>
    /// <param name="events">The name of the parameter with the events.</param>
    public static ArgumentException NotAllowed(string events, int index, Exception cause) =>
        new(Invariant($"events[{index}] is not allowed. {cause.Message}"), events, cause);

    /// <summary>What is wrong with an event whose JSON is none.</summary>
    public static ArgumentException NotValid(NewEvent e, JsonException cause) =>
        new($"Its JSON, of the event type {NameRules.Quote(e.Type!)}, is not valid. {cause.Message}", cause);

    private PreparedEvent PrepareObject(NewEvent e, object data)
    {
        var clrType = data.GetType();
        var type = types.Find(clrType)
            ?? throw new ArgumentException($"Its data is of type {clrType}, which is not registered as an event type: give it "
            + $"[EventType(\"...\")] and register it before the store is opened, with options.EventTypes.Add<{clrType.Name}>() or "
            + "options.EventTypes.AddAssembly(...).");
        var tags = CollectTags(e.Tags, type.DeclaredTags, data);
        var (json, personal) = PersonalValues.InMarked(Serialize(type, data) ?? throw TooLarge("data"), types.PathsOf(type.Name));
        if (json.Length > payloadBytesMax)
            throw TooLarge("data");
        return new PreparedEvent(type.Name, type.Version, tags, e.Id, json, SerializeMetadata(e)) { Personal = personal };
    }

    private PreparedEvent PrepareJson(NewEvent e)
    {
        byte[] json;
        try
        {
            json = JsonText.TryNormalize(e.Json.Span, payloadBytesMax) ?? throw TooLarge("data");
        }
        catch (JsonException exception)
        {
            throw NotValid(e, exception);
        }
        return new PreparedEvent(e.Type!, e.Version, CollectTags(e.Tags, null, null), e.Id, json, SerializeMetadata(e))
        {
            Personal = (IReadOnlyList<PersonalValue>?)FindPersonal(e, json) ?? [],
        };
    }

    // JSON is matched as the class is read. What the class does not describe has no personal members that are known.
    private List<PersonalValue>? FindPersonal(NewEvent e, byte[] json)
    {
        var (type, paths) = (types.Find(e.Type!), types.PathsOf(e.Type!));
        var content = type?.Content;
        var isPersonal = content?.Shape.IsPersonal == true;
        var isOfClass = content is not null && e.Version == type!.Version;
        if (isPersonal && !isOfClass && paths is null)
        {
            throw new ArgumentException(Invariant($"Its JSON has version {e.Version}, and {type!.ClrType}, which has personal members, describes ")
                + Invariant($"version {type.Version}: which of these are personal is not known. Append it as version {type.Version}, or name the ")
                + $"personal members of that version by EventTypes.AddPersonal({NameRules.Quote(type.Name)}, ...).");
        }
        if (isOfClass && (isPersonal || paths is not null))
            RefuseMisfit(type!, json);
        return isPersonal || paths is not null || content?.IgnoresCase == true
            ? PersonalValues.In(json, content?.Shape, paths, content?.IgnoresCase ?? false, isOfClass)
            : null;
    }

    private static void RefuseMisfit(RegisteredEventType type, byte[] json)
    {
        try
        {
            JsonSerializer.Deserialize(json, type.Json!);
        }
        catch (Exception e)
        {
            // The message of the class's own exception may have a personal value.
            var problem = e is JsonException ? e.Message : $"{e.GetType()} was thrown.";
            throw new ArgumentException($"Its JSON does not fit {type.ClrType}, so which of its members are personal is not known. {problem}", e);
        }
    }

    // The normalizing pass over the serializer's output: a converter may write raw JSON of any form, and a context may escape names differently.
    // Null: it is too large. With marks it may be too large only because of them.
    private byte[]? Serialize(RegisteredEventType type, object data)
    {
        var buffer = new ArrayBufferWriter<byte>(512);
        try
        {
            if (type.IsVerified)
                RoundTripCheck.Verify(data, type.Json!);
            using var writer = new Utf8JsonWriter(buffer, ReadableJsonEncoder.InEvents);
            JsonSerializer.Serialize(writer, data, type.JsonToWrite);
            writer.Flush();
            return JsonText.TryNormalize(buffer.WrittenSpan, PersonalMarks.AreIn(buffer.WrittenSpan) ? int.MaxValue : payloadBytesMax);
        }
        catch (Exception exception)
        {
            throw new ArgumentException($"Its data, of type {type.ClrType}, cannot be serialized. {exception.Message}", exception);
        }
    }

    private byte[] SerializeMetadata(NewEvent e) => e.Metadata.Count == 0 ? [] : Checked(EnrichedMetadata.Of(e.Metadata));

    private byte[] Checked(byte[] metadata) => metadata.Length <= payloadBytesMax ? metadata : throw TooLarge("metadata");

    private ArgumentException TooLarge(string part) =>
        new(Invariant($"Its {part} has more than {payloadBytesMax:N0} bytes of compact JSON, the maximum ")
            + "unless the app sets another one (OpossumOptions.Advanced.MaxPayloadBytes).");

    private static Tag[] CollectTags(IReadOnlyList<Tag> given, DeclaredTags? declared, object? data)
    {
        // Nothing to add: the stored event may reuse the new event's array, which never changes.
        if (declared is null)
            return Tag.Distinct(given as Tag[] ?? [.. given]);
        var tags = new List<Tag>(given);
        declared.AddTo(tags, data!);
        return Tag.Distinct([.. tags]);
    }

    // Returns null for a JSON null, which has no shape to change.
    private JsonNode? Upcast(SequencedEvent e, RegisteredEventType type)
    {
        var json = JsonNode.Parse(e.Json.Span);
        for (var version = e.Version; version < type.Version && json is not null; version++)
        {
            try
            {
                json = types.Upcaster(type.Name, version)(json) ?? throw new InvalidOperationException("It returned null.");
            }
            catch (Exception exception)
            {
                throw Error(e, Invariant($"could not be converted from version {version} to {version + 1}: its upcaster failed. {exception.Message}"),
                    exception);
            }
        }
        return json;
    }

    private static EventDataException Error(SequencedEvent e, string problem, Exception? exception = null, bool isOfNewerVersion = false) =>
        new(e.Type, e.Position, Invariant($"The event at position {e.Position}, of type {NameRules.Quote(e.Type)}, {problem}"), exception)
        {
            IsOfNewerVersion = isOfNewerVersion,
        };
}
