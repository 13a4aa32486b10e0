namespace Opossum;

/// <summary>A label of an event, a key and a value, by which events are found and conditions are drawn: <c>course:c1</c>.</summary>
/// <remarks>
/// Tags compare ordinally, by key and value. A key holds at least one character and no <c>:</c>; a value is any valid Unicode
/// string, the empty one included. The written form is <c>key:value</c>, split at the first <c>:</c>.
/// </remarks>
public readonly record struct Tag
{
    /// <summary>The longest key, in UTF-16 code units: 1,000.</summary>
    public const int MaxKeyLength = 1_000;

    /// <summary>The longest value, in UTF-16 code units: 10,000.</summary>
    public const int MaxValueLength = 10_000;

    /// <summary>Makes a tag from its key and its value.</summary>
    /// <param name="key">What kind of thing is meant, such as <c>course</c>.</param>
    /// <param name="value">Which one, such as <c>c1</c>; may be empty.</param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="value"/> is null.</exception>
    /// <exception cref="ArgumentException">The key is empty, holds a <c>:</c> or is too long, the value is too long, or one of them is not valid Unicode.</exception>
    public Tag(string key, string value)
    {
        NameRules.CheckTagKey(key, nameof(key));
        NameRules.CheckTagValue(value, nameof(value));
        Key = key;
        Value = value;
    }

    private Tag(string key, string value, bool _)
    {
        Key = key;
        Value = value;
    }

    /// <summary>What kind of thing is meant. Null only in <c>default(Tag)</c>, which every use refuses.</summary>
    public string Key { get; }

    /// <summary>Which one. Null only in <c>default(Tag)</c>, which every use refuses.</summary>
    public string Value { get; }

    /// <summary>Makes a tag of a value, in exactly the form in which <see cref="TagAttribute"/> makes it of a property's value.</summary>
    /// <param name="key">What kind of thing is meant, such as <c>course</c>.</param>
    /// <param name="value">
    /// Which one. A string stands as it is, a <see cref="bool"/> as <c>true</c> or <c>false</c>, dates and times in the round-trip form (<c>O</c>),
    /// other formattable values (numbers, <see cref="Guid"/>, enums) in their invariant form, other objects by their own <see cref="object.ToString"/>.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="value"/> is null.</exception>
    /// <exception cref="ArgumentException">The value is a collection or has no <see cref="object.ToString"/> of its own, or the key or the text is not allowed.</exception>
    /// <example><code>
    /// var query = Query.For&lt;OrderPlaced&gt;(Tag.From("order", orderId), Tag.From("day", DateOnly.FromDateTime(DateTime.Today)));
    /// </code></example>
    public static Tag From(string key, object value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return new Tag(key, NameRules.TagValueOf(value) ?? throw new ArgumentException($"{value.GetType()} is a collection, and a tag has one value. Make a tag of each element.", nameof(value)));
    }

    /// <summary>Reads the written form <c>key:value</c>, split at the first <c>:</c>.</summary>
    /// <param name="text">The written form.</param>
    /// <exception cref="ArgumentNullException"><paramref name="text"/> is null.</exception>
    /// <exception cref="ArgumentException">There is no <c>:</c>, or key or value is not allowed.</exception>
    public static Tag Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        if (colon < 0)
            throw new ArgumentException($"A tag is written key:value, but {NameRules.Quote(text)} holds no ':'.", nameof(text));
        return new Tag(text[..colon], text[(colon + 1)..]);
    }

    /// <summary>The written form, <c>key:value</c>.</summary>
    public override string ToString() => $"{Key}:{Value}";

    internal static Tag Trusted(string key, string value) => new(key, value, true);
}
