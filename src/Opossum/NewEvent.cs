using System.Text;

namespace Opossum;

/// <summary>An event to append: its data, its tags, its metadata and its id.</summary>
/// <remarks>
/// The id is made with the event, so that the same <see cref="NewEvent"/> appended again is known as the same event: see safe
/// retries in docs/append-conditions.md. To give it another id, or metadata: <c>newEvent with { Id = ..., Metadata = ... }</c>.
/// </remarks>
/// <example><code>
/// var enrolled = new NewEvent(new StudentEnrolled("c1", "s9"), new Tag("course", "c1"), new Tag("student", "s9"));
/// var raw = NewEvent.FromJson("student-enrolled", """{ "courseId": "c1" }""", new Tag("course", "c1"));
/// </code></example>
public sealed record NewEvent
{
    /// <summary>An event whose data is an object of a registered event type.</summary>
    /// <param name="data">An instance of a type registered with <see cref="OpossumOptions.EventTypes"/>.</param>
    /// <param name="tags">Tags, in addition to those that <see cref="TagAttribute"/> declares on the type.</param>
    /// <exception cref="ArgumentNullException"><paramref name="data"/> is null.</exception>
    /// <exception cref="ArgumentException">A tag is <c>default(Tag)</c>.</exception>
    public NewEvent(object data, params IEnumerable<Tag> tags)
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

    /// <summary>The object given as data; null for an event made from JSON.</summary>
    public object? Data { get; }

    /// <summary>The type name given with JSON; null for an event made from an object, whose type is known to the store.</summary>
    public string? Type { get; }

    /// <summary>The version of the JSON's shape, for upcasters; 1 unless said otherwise. For an object the registered version counts.</summary>
    public int Version { get; } = 1;

    /// <summary>The JSON given, in UTF-8; empty for an event made from an object.</summary>
    public ReadOnlyMemory<byte> Json { get; }

    /// <summary>The tags given.</summary>
    public IReadOnlyList<Tag> Tags { get; }

    /// <summary>Facts about the event that are not its data, such as a correlation id. Default: none. Keys and values are valid Unicode.</summary>
    public IReadOnlyDictionary<string, string> Metadata
    {
        get;
        init
        {
            ArgumentNullException.ThrowIfNull(value, nameof(Metadata));
            foreach (var (key, text) in value)
            {
                if (key is null || text is null)
                    throw new ArgumentException("A key or a value of the metadata is null.", nameof(Metadata));
                NameRules.CheckUnicode(key, "A key of the metadata", nameof(Metadata));
                NameRules.CheckUnicode(text, $"The metadata's value of {NameRules.Quote(key)}", nameof(Metadata));
            }
            field = value;
        }
    } = System.Collections.ObjectModel.ReadOnlyDictionary<string, string>.Empty;

    /// <summary>The event's id. Default: a new UUID, version 7.</summary>
    /// <exception cref="ArgumentException">It is <see cref="Guid.Empty"/>, which would be the same id for all events.</exception>
    public Guid Id
    {
        get;
        init => field = value != Guid.Empty ? value : throw new ArgumentException("The event's id is Guid.Empty, which would be the same id for all events. Leave it out for a new one, or take Guid.CreateVersion7().", nameof(Id));
    } = Guid.CreateVersion7();

    /// <summary>An event from a type name and JSON text, without any CLR type.</summary>
    /// <param name="type">The type name: 1 to 1,000 characters.</param>
    /// <param name="json">One JSON value.</param>
    /// <param name="tags">The tags.</param>
    /// <exception cref="ArgumentException">The type name is not allowed, the text is not valid Unicode, or a tag is <c>default(Tag)</c>. Whether it is JSON is judged by the append.</exception>
    public static NewEvent FromJson(string type, string json, params IEnumerable<Tag> tags) => FromJson(type, json, 1, tags);

    /// <summary>An event from a type name and JSON text of a version, without any CLR type.</summary>
    /// <param name="type">The type name: 1 to 1,000 characters.</param>
    /// <param name="json">One JSON value.</param>
    /// <param name="version">The version of the JSON's shape, from 1; see <see cref="EventTypeAttribute.Version"/>.</param>
    /// <param name="tags">The tags.</param>
    /// <exception cref="ArgumentException">The type name or the version is not allowed, the text is not valid Unicode, or a tag is <c>default(Tag)</c>. Whether it is JSON is judged by the append.</exception>
    public static NewEvent FromJson(string type, string json, int version, params IEnumerable<Tag> tags)
    {
        ArgumentNullException.ThrowIfNull(json);
        NameRules.CheckUnicode(json, "The event's JSON", nameof(json));
        return new NewEvent(type, Encoding.UTF8.GetBytes(json), tags, version);
    }

    /// <summary>An event from a type name and JSON in UTF-8, without any CLR type.</summary>
    /// <param name="type">The type name: 1 to 1,000 characters.</param>
    /// <param name="json">One JSON value in UTF-8. The bytes must not change until the append has ended.</param>
    /// <param name="tags">The tags.</param>
    /// <exception cref="ArgumentException">The type name is not allowed, or a tag is <c>default(Tag)</c>. Whether it is JSON is judged by the append.</exception>
    public static NewEvent FromJson(string type, ReadOnlyMemory<byte> json, params IEnumerable<Tag> tags) => new(type, json, tags, 1);

    /// <summary>An event from a type name and JSON in UTF-8 of a version, without any CLR type.</summary>
    /// <param name="type">The type name: 1 to 1,000 characters.</param>
    /// <param name="json">One JSON value in UTF-8. The bytes must not change until the append has ended.</param>
    /// <param name="version">The version of the JSON's shape, from 1; see <see cref="EventTypeAttribute.Version"/>.</param>
    /// <param name="tags">The tags.</param>
    /// <exception cref="ArgumentException">The type name or the version is not allowed, or a tag is <c>default(Tag)</c>. Whether it is JSON is judged by the append.</exception>
    public static NewEvent FromJson(string type, ReadOnlyMemory<byte> json, int version, params IEnumerable<Tag> tags) => new(type, json, tags, version);

    private static Tag[] CheckTags(IEnumerable<Tag> tags)
    {
        ArgumentNullException.ThrowIfNull(tags);
        var list = tags.ToArray();
        foreach (var tag in list)
        {
            if (tag.Key is null)
                throw new ArgumentException("A tag of the event is default(Tag), without key and value; make tags with new Tag(key, value).", nameof(tags));
        }
        return list;
    }
}
