namespace Opossum;

/// <summary>
/// A label of an event, mostly with a key and a value, such as <c>course:c1</c>, or a key alone, such as <c>featured</c>. Queries and append
/// conditions select events by tags.
/// </summary>
/// <remarks>
/// Tags compare ordinally, by key and value. A key has at least one character and no <c>:</c>; a value is any valid Unicode
/// string, including the empty string. The written form is <c>key:value</c>, split at the first <c>:</c>, or the key alone: <c>featured</c> and
/// <c>featured:</c> are two tags. So any text without a <c>:</c> at its begin is a tag. Keys that begin with <c>$</c> are
/// the store's own: queries may use them, and an append refuses them.
/// </remarks>
public readonly record struct Tag
{
    /// <summary>The longest key, in UTF-16 code units: 1,000.</summary>
    public const int MaxKeyLength = 1_000;

    /// <summary>The longest value, in UTF-16 code units: 10,000.</summary>
    public const int MaxValueLength = 10_000;

    /// <summary>Creates a tag from a key and a value.</summary>
    /// <param name="key">The kind of entity, such as <c>course</c>.</param>
    /// <param name="value">The entity of that kind, such as <c>c1</c>; may be empty.</param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="value"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// The key is empty, contains a <c>:</c> or is too long, the value is too long, or one of them is not valid Unicode.
    /// </exception>
    public Tag(string key, string value)
    {
        NameRules.CheckTagKey(key, nameof(key));
        NameRules.CheckTagValue(value, nameof(value));
        Key = key;
        Value = value;
    }

    /// <summary>Creates a tag without a value, such as <c>featured</c>.</summary>
    /// <param name="key">The whole tag.</param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentException">The key is empty, contains a <c>:</c>, is too long or is not valid Unicode.</exception>
    public Tag(string key)
    {
        NameRules.CheckTagKey(key, nameof(key));
        Key = key;
        Value = "";
        isKeyAlone = true;
    }

    // No tag that a user makes begins so by accident, and a tag with it is never stored: the store replaces the value by its hash.
    private const string PseudonymMark = "\u001fpseudonym\u001f";
    internal const int StoredPseudonymDigits = 22;

    private const int ComparedInPairsMax = 16;

    private readonly bool isKeyAlone;

    private Tag(string key, string value, bool isKeyAlone)
    {
        Key = key;
        Value = value;
        this.isKeyAlone = isKeyAlone;
    }

    /// <summary>The kind of entity, or the whole tag when it has no value. Null only in <c>default(Tag)</c>, which no method accepts.</summary>
    public string Key { get; }

    /// <summary>The entity of that kind; empty when the tag has no value. Null only in <c>default(Tag)</c>, which no method accepts.</summary>
    public string Value { get; }

    /// <summary>Whether the tag has a value, which may be empty, as in <c>featured:</c>.</summary>
    public bool HasValue => !isKeyAlone;

    /// <summary>Creates a tag from a value, in the same form in which <see cref="TagAttribute"/> creates a tag from a property's value.</summary>
    /// <param name="key">The kind of entity, such as <c>course</c>.</param>
    /// <param name="value">
    /// The entity of that kind. A string is used unchanged, a <see cref="bool"/> becomes <c>true</c> or <c>false</c>, dates and times take
    /// the round-trip
    /// form (<c>O</c>), other formattable values (numbers, <see cref="Guid"/>, enums) their invariant form, other objects the
    /// <see cref="object.ToString"/> that was written for their type, which a record has not by itself. An option of F# counts as its value.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="value"/> is null.</exception>
    /// <exception cref="ArgumentException">The value is a collection, an option without a value or an object without a
    /// <see cref="object.ToString"/> of its own, or the key or the text is not allowed.</exception>
    /// <example><code>
    /// var query = Query.For&lt;OrderPlaced&gt;(Tag.From("order", orderId), Tag.From("day", DateOnly.FromDateTime(DateTime.Today)));
    /// </code></example>
    public static Tag From(string key, object value)
    {
        ArgumentNullException.ThrowIfNull(value);
        var inner = FSharpTypes.ValueOf(value) ?? throw new ArgumentException("The option has no value, of which a tag is made.", nameof(value));
        return new Tag(key, NameRules.TagValueOf(inner)
            ?? throw new ArgumentException($"{value.GetType()} is a collection, and a tag has one value. Create a tag for each element.",
            nameof(value)));
    }

    /// <summary>
    /// Creates a tag whose value is stored as a keyed hash: events that carry it are found by the value, but nobody can read the value in the store,
    /// as in "this e-mail address is taken". The store computes the hash, with a key that its master key protects
    /// (<c>OpossumOptions.PersonalData</c>), when it appends or queries.
    /// </summary>
    /// <param name="key">The kind of entity, such as <c>email</c>.</param>
    /// <param name="value">
    /// The value, as it is compared: of texts in several spellings, always give the same one, such as the e-mail address in lower case. At most 9,000
    /// characters.
    /// </param>
    /// <remarks>
    /// Events that were read carry the hash, not the value. The hash stays when a person is forgotten; who has the master key can test whether it is
    /// that of a given value.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="value"/> is null.</exception>
    /// <exception cref="ArgumentException">The key or the value is not allowed.</exception>
    public static Tag Pseudonym(string key, string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return new Tag(key, PseudonymMark + value);
    }

    /// <summary>Reads the written form: <c>key:value</c>, split at the first <c>:</c>, or the key alone.</summary>
    /// <param name="text">The written form.</param>
    /// <exception cref="ArgumentNullException"><paramref name="text"/> is null.</exception>
    /// <exception cref="ArgumentException">Key or value is not allowed.</exception>
    public static Tag Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        return colon < 0 ? new Tag(text) : new Tag(text[..colon], text[(colon + 1)..]);
    }

    /// <summary>The same for the tag of a person, which has a value.</summary>
    internal static Tag ParsePerson(string text) => Parse(text) is { HasValue: true } person ? person
        : throw new ArgumentException($"{NameRules.Quote(text)} has no value, so it names no person; write key:value.", nameof(text));

    /// <summary>The written form, <c>key:value</c> or the key alone; of a pseudonym without its value.</summary>
    public override string ToString() => IsPseudonym ? $"{Key}:(pseudonym)" : Text;

    /// <summary>The written form, also of a pseudonym.</summary>
    internal string Text => isKeyAlone ? Key : $"{Key}:{Value}";

    /// <summary>Whether the value is to be replaced by its hash.</summary>
    internal bool IsPseudonym => Value is ['\u001f', ..] && Value.StartsWith(PseudonymMark, StringComparison.Ordinal);

    /// <summary>Whether the value of any tag is to be replaced.</summary>
    internal static bool HasPseudonym(Tag[] tags)
    {
        foreach (var tag in tags)
        {
            if (tag.IsPseudonym)
                return true;
        }
        return false;
    }

    /// <summary>The tags without repetitions, in the order in which they come first. The array may be the given one.</summary>
    internal static Tag[] Distinct(Tag[] tags)
    {
        if (tags.Length > ComparedInPairsMax)
            return [.. tags.ToHashSet()];
        for (var at = 1; at < tags.Length; at++)
        {
            if (Array.IndexOf(tags, tags[at], 0, at) >= 0)
                return Distinct([.. tags[..at], .. tags[(at + 1)..]]);
        }
        return tags;
    }

    /// <summary>Whether the value has the form of a stored pseudonym, which is a hash.</summary>
    internal bool MayBeStoredPseudonym => Value is ['~', .. var rest] && rest.Length == StoredPseudonymDigits
        && rest.All(static each => char.IsAsciiLetterOrDigit(each) || each is '-' or '_');

    /// <summary>The value of a pseudonym, which its hash replaces.</summary>
    internal string PseudonymOf => Value[PseudonymMark.Length..];

    internal static Tag Trusted(string key, string value) => new(key, value, isKeyAlone: false);

    internal static Tag Trusted(string key) => new(key, "", isKeyAlone: true);
}
