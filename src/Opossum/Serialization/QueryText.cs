using System.Text;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>A query as JSON text: the same text in whatever order its items, types and tags are given.</summary>
internal static class QueryText
{
    /// <summary>
    /// The text: each item once, in the order of their texts, with its types and its tags in order. Texts are ordered
    /// by their UTF-16 code units. No items: the query for all events.
    /// </summary>
    public static byte[] Of(Query query)
    {
        var items = query.Items.Select(TextOf).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal);
        return Encoding.UTF8.GetBytes($"[{string.Join(',', items)}]");
    }

    /// <summary>Reads a text, whatever the order in it.</summary>
    /// <exception cref="Exception">It is no query: an <see cref="InvalidOperationException"/>, a
    /// <see cref="FormatException"/> or an <see cref="ArgumentException"/>.</exception>
    public static Query Read(JsonElement items) => items.GetArrayLength() == 0 ? Query.All
        : Query.FromItems(
        [
            .. items.EnumerateArray().Select(static item => new QueryItem
            {
                Types = [.. TextsOf(item, "types")],
                Tags = [.. TextsOf(item, "tags").Select(Tag.Parse)],
            }),
        ]);

    private static string TextOf(QueryItem item)
    {
        var tags = item.Tags.Select(static tag => tag.ToString());
        return (item.Types.Count, item.Tags.Count) switch
        {
            (_, 0) => $"{{\"types\":{ListOf(item.Types)}}}",
            (0, _) => $"{{\"tags\":{ListOf(tags)}}}",
            _ => $"{{\"types\":{ListOf(item.Types)},\"tags\":{ListOf(tags)}}}",
        };
    }

    private static string ListOf(IEnumerable<string> texts) =>
        $"[{string.Join(',', texts.Order(StringComparer.Ordinal).Select(JsonOf))}]";

    private static string JsonOf(string text) => $"\"{ReadableJsonEncoder.Instance.Encode(text)}\"";

    private static IEnumerable<string> TextsOf(JsonElement item, string name) =>
        item.TryGetProperty(name, out var texts)
            ? texts.EnumerateArray()
                .Select(static text => text.GetString() ?? throw new FormatException("a text is null"))
            : [];
}
