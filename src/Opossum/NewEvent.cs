using System.Text;

namespace Opossum;

/// <summary>An event to append: its data, its tags, its metadata and its id.</summary>
/// <remarks>
/// The constructor creates the id, so that appending the same <see cref="NewEvent"/> again is recognised as the same event: see safe
/// retries in docs/append-conditions.md. To set another id, or metadata: <c>newEvent with { Id = ..., Metadata = ... }</c>.
/// </remarks>
/// <example><code>
/// var enrolled = new NewEvent(new StudentEnrolled("c1", "s9"), new Tag("course", "c1"), new Tag("student", "s9"));
/// var raw = NewEvent.FromJson("student-enrolled", """{ "courseId": "c1" }""", new Tag("course", "c1"));
/// </code></example>
public sealed record NewEvent
{
    /// <summary>Creates an event whose data is an object of a registered event type.</summary>
    /// <param name="data">An instance of a type registered with <see cref="OpossumOptions.EventTypes"/>.</param>
    /// <param name="tags">The tags, in addition to the tags that <see cref="TagAttribute"/> declares on the type.</param>
    /// <exception cref="ArgumentNullException"><paramref name="data"/> is null.</exception>
    /// <exception cref="ArgumentException">A tag is <c>default(Tag)</c>.</exception>
    public NewEvent(object data, params Tag[] tags)
    {
        ArgumentNullException.ThrowIfNull(data);
        Data = data;
        Tags = CheckTags(tags);
    }

    private NewEvent(string type, ReadOnlyMemory<byte> json, IEnumerable<Tag> tags, int version)
    {
        NameRules.CheckEventType(type, nameof(type));
        ArgumentOutOfRangeException.ThrowIfLessThan(version, 1);
        Type = type;
        Json = json;
        Version = version;
        Tags = CheckTags(tags);
    }

    /// <summary>The data object; null for an event created from JSON.</summary>
    public object? Data { get; }

    /// <summary>The type name of an event created from JSON; null for an event created from an object, whose type name the store knows.</summary>
    public string? Type { get; }

    /// <summary>The version of the JSON shape, for upcasters. Default: 1. For an object the store uses the registered version instead.</summary>
    public int Version { get; } = 1;

    /// <summary>The JSON, in UTF-8; empty for an event created from an object.</summary>
    public ReadOnlyMemory<byte> Json { get; }

    /// <summary>The tags passed to the constructor or to <c>FromJson</c>.</summary>
    public IReadOnlyList<Tag> Tags { get; }

    /// <summary>
    /// Facts about the event that are not part of its data, such as a correlation id. Default: none. Keys and values must be valid Unicode.
    /// The key <see cref="EventRedaction.MetadataKey"/> is the store's own.
    /// </summary>
    public IReadOnlyDictionary<string, string> Metadata
    {
        get;
        init
        {
            ArgumentNullException.ThrowIfNull(value, nameof(Metadata));
            var entries = new Dictionary<string, string>(value.Count, StringComparer.Ordinal);
            foreach (var (key, text) in value)
            {
                if (key is null || text is null)
                    throw new ArgumentException("A key or a value of the metadata is null.", nameof(Metadata));
                if (key == EventRedaction.MetadataKey)
                {
                    throw new ArgumentException($"The metadata's key {NameRules.Quote(key)} is the store's own: it says what was redacted. "
                        + "Choose another key.", nameof(Metadata));
                }
                NameRules.CheckUnicode(key, "A key of the metadata", nameof(Metadata));
                NameRules.CheckUnicode(text, $"The metadata's value of {NameRules.Quote(key)}", nameof(Metadata));
                entries.Add(key, text);
            }
            // A copy: what was checked is what is stored.
            field = entries;
        }
    } = System.Collections.ObjectModel.ReadOnlyDictionary<string, string>.Empty;

    /// <summary>The event's id. Default: a new UUID, version 7.</summary>
    /// <exception cref="ArgumentException">The id is <see cref="Guid.Empty"/>, which would be the same id for all events.</exception>
    public Guid Id
    {
        get;
        init =>
            field = value != Guid.Empty
                ? value
                : throw new ArgumentException("The event's id is Guid.Empty, which would be the same id for all events. Do not set it, to get a "
                + "new id, or set it to Guid.CreateVersion7().", nameof(Id));
    } = EventIds.New();

    /// <summary>Creates an event from a type name and JSON text, without a CLR type.</summary>
    /// <param name="type">The type name: 1 to 1,000 characters.</param>
    /// <param name="json">One JSON value.</param>
    /// <param name="tags">The tags.</param>
    /// <exception cref="ArgumentException">
    /// The type name is not allowed, the text is not valid Unicode, or a tag is <c>default(Tag)</c>. The append checks whether the text is
    /// valid JSON.
    /// </exception>
    public static NewEvent FromJson(string type, string json, params Tag[] tags) => FromJson(type, json, 1, tags);

    /// <summary>Creates an event from a type name, JSON text and a version, without a CLR type.</summary>
    /// <param name="type">The type name: 1 to 1,000 characters.</param>
    /// <param name="json">One JSON value.</param>
    /// <param name="version">The version of the JSON's shape, from 1; see <see cref="EventTypeAttribute.Version"/>.</param>
    /// <param name="tags">The tags.</param>
    /// <exception cref="ArgumentException">
    /// The type name or the version is not allowed, the text is not valid Unicode, or a tag is <c>default(Tag)</c>. The append checks
    /// whether the text is
    /// valid JSON.
    /// </exception>
    public static NewEvent FromJson(string type, string json, int version, params Tag[] tags)
    {
        ArgumentNullException.ThrowIfNull(json);
        NameRules.CheckUnicode(json, "The event's JSON", nameof(json));
        return new NewEvent(type, Encoding.UTF8.GetBytes(json), tags, version);
    }

    /// <summary>Creates an event from a type name and JSON in UTF-8, without a CLR type.</summary>
    /// <param name="type">The type name: 1 to 1,000 characters.</param>
    /// <param name="json">One JSON value in UTF-8. The bytes must not change until the append completes.</param>
    /// <param name="tags">The tags.</param>
    /// <exception cref="ArgumentException">
    /// The type name is not allowed, or a tag is <c>default(Tag)</c>. The append checks whether the text is valid JSON.
    /// </exception>
    public static NewEvent FromJson(string type, ReadOnlyMemory<byte> json, params Tag[] tags) => new(type, json, tags, 1);

    /// <summary>Creates an event from a type name, JSON in UTF-8 and a version, without a CLR type.</summary>
    /// <param name="type">The type name: 1 to 1,000 characters.</param>
    /// <param name="json">One JSON value in UTF-8. The bytes must not change until the append completes.</param>
    /// <param name="version">The version of the JSON's shape, from 1; see <see cref="EventTypeAttribute.Version"/>.</param>
    /// <param name="tags">The tags.</param>
    /// <exception cref="ArgumentException">
    /// The type name or the version is not allowed, or a tag is <c>default(Tag)</c>. The append checks whether the text is valid JSON.
    /// </exception>
    public static NewEvent FromJson(string type, ReadOnlyMemory<byte> json, int version, params Tag[] tags) =>
        new(type, json, tags, version);

    /// <summary>Whether the store itself appends it, so that it may have a type of the store's own.</summary>
    internal bool IsOfStore { get; init; }

    /// <summary>The type and the tags; never the data, which may be personal.</summary>
    public override string ToString() => string.Join(' ', [Type ?? Data!.GetType().Name, .. Tags.Select(static tag => tag.ToString())]);

    private static Tag[] CheckTags(IEnumerable<Tag> tags)
    {
        ArgumentNullException.ThrowIfNull(tags);
        var list = tags.ToArray();
        foreach (var tag in list)
        {
            if (tag.Key is null)
            {
                throw new ArgumentException("A tag of the event is default(Tag), without key and value; make tags with new Tag(key, value).",
                    nameof(tags));
            }
        }
        return list;
    }
}
