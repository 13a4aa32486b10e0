using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>A value in the data of an event, with its place.</summary>
/// <param name="Path">The path of its member, such as <c>contacts[0].phone</c>.</param>
/// <param name="Pattern">The same for all elements, such as <c>contacts[].phone</c>.</param>
/// <param name="Value">The value.</param>
/// <param name="Parent">The object or array that it is in.</param>
internal readonly record struct JsonMember(string Path, string Pattern, JsonElement Value, JsonElement Parent)
{
    private static readonly JsonDocumentOptions options = new() { MaxDepth = JsonText.DepthMax + 2 };

    /// <summary>Whether it is an encrypted value.</summary>
    public bool IsSealed => Value.ValueKind == JsonValueKind.Object && Value.TryGetProperty("$sealed", out _);

    /// <summary>Reads an encrypted value; null when it is none.</summary>
    public byte[]? ReadSealed(out Tag subject)
    {
        subject = default;
        return Value.GetProperty("$sealed") is { ValueKind: JsonValueKind.String } text ? SealedText.Read(text.GetString()!, out subject) : null;
    }

    /// <summary>All values in stored data; what is in an encrypted one is none.</summary>
    public static IEnumerable<JsonMember> Of(ReadOnlyMemory<byte> json)
    {
        var root = JsonElement.Parse(json.Span, options);
        return Of(new JsonMember("", "", root, root));
    }

    /// <summary>The texts in the value: strings, and numbers as they are written.</summary>
    public static IEnumerable<string> TextsIn(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.Object => value.EnumerateObject().SelectMany(static each => TextsIn(each.Value)),
        JsonValueKind.Array => value.EnumerateArray().SelectMany(TextsIn),
        JsonValueKind.String => [value.GetString()!],
        JsonValueKind.Number => [value.GetRawText()],
        _ => [],
    };

    private static IEnumerable<JsonMember> Of(JsonMember member)
    {
        var (path, pattern, value, _) = member;
        if (member.IsSealed)
            return [];
        return value.ValueKind switch
        {
            JsonValueKind.Object => value.EnumerateObject().SelectMany(each => WithInner(
                new JsonMember(MemberPath.Member(path, each.Name), MemberPath.Member(pattern, each.Name), each.Value, value))),
            JsonValueKind.Array => value.EnumerateArray().Index().SelectMany(each => WithInner(
                new JsonMember(MemberPath.Element(path, each.Index), pattern + "[]", each.Item, value))),
            _ => [],
        };
    }

    private static IEnumerable<JsonMember> WithInner(JsonMember member) => Of(member).Prepend(member);
}
