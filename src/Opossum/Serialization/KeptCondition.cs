using System.Text;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>The condition of an append as its first event keeps it.</summary>
/// <param name="After">The position after which events were checked; less than that of the event.</param>
/// <param name="Query">The text of the query; <c>null</c> in JSON when it was too long to be kept, or had what was redacted.</param>
internal sealed record KeptCondition(long After, byte[] Query)
{
    /// <summary>A query whose text has more bytes is not kept.</summary>
    public const int QueryBytesMax = 32 * 1024;

    private static readonly byte[] notKept = "null"u8.ToArray();

    /// <summary>The condition of an append whose first position is not known yet.</summary>
    public static KeptCondition Of(AppendCondition condition)
    {
        var query = QueryText.Of(condition.FailIfEventsMatch);
        return new KeptCondition(condition.After ?? 0, query.Length <= QueryBytesMax ? query : notKept);
    }

    /// <summary>The condition of an append with this first position: no event after it existed then.</summary>
    public KeptCondition At(long first) => After < first ? this : this with { After = first - 1 };

    /// <summary>The condition of the same append at another place.</summary>
    public KeptCondition MovedBy(long distance) => this with { After = Math.Max(0, After + distance) };

    /// <summary>The condition without its query, if that has a tag with one of the texts as its value.</summary>
    public KeptCondition Without(HashSet<string> values) =>
        Read(ToText())?.FailIfEventsMatch.Items.Any(item => item.Tags.Any(tag => values.Contains(tag.Value))) == true
            ? this with { Query = notKept } : this;

    public byte[] ToText() =>
        Encoding.UTF8.GetBytes($"{{\"after\":{After},\"query\":{Encoding.UTF8.GetString(Query)}}}");

    /// <summary>Reads the text of the member; null when the query was not kept.</summary>
    /// <exception cref="Exception">It is no condition: a <see cref="JsonException"/>, a
    /// <see cref="KeyNotFoundException"/>, an <see cref="InvalidOperationException"/>, a <see cref="FormatException"/>
    /// or an <see cref="ArgumentException"/>.</exception>
    public static AppendCondition? Read(ReadOnlySpan<byte> text)
    {
        var members = JsonElement.Parse(text);
        var query = members.GetProperty("query");
        return query.ValueKind == JsonValueKind.Null ? null
            : new AppendCondition(QueryText.Read(query), members.GetProperty("after").GetInt64());
    }

    /// <summary>Checks that a text is that of a query, in its one form.</summary>
    /// <exception cref="FormatException">It is not.</exception>
    public static void ThrowIfNoQuery(ReadOnlySpan<byte> text)
    {
        if (text.Length > QueryBytesMax)
            throw new FormatException($"the query of its condition has more than {QueryBytesMax} bytes");
        if (!text.SequenceEqual(notKept) && !text.SequenceEqual(QueryText.Of(QueryText.Read(JsonElement.Parse(text)))))
            throw new FormatException("the query of its condition is not in the form in which a store writes it");
    }
}
