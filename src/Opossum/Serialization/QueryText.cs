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
        // Most conditions have one item.
        if (query.ItemSpan is [var single])
            return Encoding.UTF8.GetBytes($"[{TextOf(single)}]");
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

    private static string TextOf(QueryItem item) => (item.EventTypeSpan.Length, item.TagSpan.Length) switch
    {
        (_, 0) => $"{{\"types\":{TypesOf(item)}}}",
        (0, _) => $"{{\"tags\":{TagsOf(item)}}}",
        _ => $"{{\"types\":{TypesOf(item)},\"tags\":{TagsOf(item)}}}",
    };

    private static string TypesOf(QueryItem item) => ListOf(item.EventTypeSpan.ToArray());

    private static string TagsOf(QueryItem item) => ListOf(Array.ConvertAll(item.TagSpan.ToArray(), static tag => tag.ToString()));

    private static string ListOf(string[] texts)
    {
        Array.Sort(texts, StringComparer.Ordinal);
        return $"[{string.Join(',', Array.ConvertAll(texts, JsonOf))}]";
    }

    private static string JsonOf(string text) => $"\"{ReadableJsonEncoder.Instance.Encode(text)}\"";

    private static IEnumerable<string> TextsOf(JsonElement item, string name) =>
        item.TryGetProperty(name, out var texts)
            ? texts.EnumerateArray()
                .Select(static text => text.GetString() ?? throw new FormatException("a text is null"))
            : [];
}
