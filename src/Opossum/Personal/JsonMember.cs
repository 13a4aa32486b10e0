using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>A value in the data of an event, with its place.</summary>
/// <param name="Path">The path of its member, such as <c>contacts[0].phone</c>.</param>
/// <param name="Pattern">The same for all elements, such as <c>contacts[].phone</c>.</param>
/// <param name="DataPath">The path in the data as they were given, before <see cref="SealedText.Escape"/>: an encrypted value is bound to it.</param>
/// <param name="Name">The member's name; null: it is an element, or the data as a whole.</param>
/// <param name="Parent">The object or array that it is in.</param>
internal readonly record struct JsonMember(string Path, string Pattern, string DataPath, string? Name, JsonElement Value, JsonElement Parent)
{
    private static readonly JsonDocumentOptions options = new() { MaxDepth = JsonText.DepthMax + 2 };

    public bool IsSealed => Value.ValueKind == JsonValueKind.Object && Value.TryGetProperty("$sealed", out _);

    public bool IsPlain => Value.ValueKind != JsonValueKind.Null && !IsSealed;

    /// <summary>Reads an encrypted value; null when it is none.</summary>
    public byte[]? ReadSealed(out Tag subject)
    {
        subject = default;
        return Value.GetProperty("$sealed") is { ValueKind: JsonValueKind.String } text ? SealedText.Read(text.GetString()!, out subject) : null;
    }

    /// <summary>Stored data as a whole.</summary>
    public static JsonMember Root(ReadOnlyMemory<byte> json)
    {
        var root = JsonElement.Parse(json.Span, options);
        return new JsonMember("", "", "", Name: null, root, root);
    }

    /// <summary>All values in stored data; what is in an encrypted one is none.</summary>
    public static IEnumerable<JsonMember> Of(ReadOnlyMemory<byte> json) => Root(json).All();

    /// <summary>The members or elements of the value; an encrypted one has none.</summary>
    public IEnumerable<JsonMember> Inner()
    {
        var (path, pattern, dataPath, _, value, _) = this;
        return value.ValueKind switch
        {
            JsonValueKind.Object when !IsSealed => value.EnumerateObject().Select(each => new JsonMember(
                MemberPath.Member(path, each.Name), MemberPath.Member(pattern, each.Name),
                MemberPath.Member(dataPath, SealedText.NameInData(each.Name)), each.Name, each.Value, value)),
            JsonValueKind.Array => value.EnumerateArray().Index().Select(each => new JsonMember(
                MemberPath.Element(path, each.Index), pattern + "[]", MemberPath.Element(dataPath, each.Index), Name: null, each.Item, value)),
            _ => [],
        };
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

    /// <summary>The names of the members in the value, at any depth.</summary>
    public static IEnumerable<string> NamesIn(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.Object => value.EnumerateObject().SelectMany(static each => NamesIn(each.Value).Prepend(each.Name)),
        JsonValueKind.Array => value.EnumerateArray().SelectMany(NamesIn),
        _ => [],
    };

    /// <summary>Whether a member of the same object has a text, or a number that is written so.</summary>
    /// <param name="name">The member's name, whose case does not count; null: any member.</param>
    public bool IsBeside(string text, string? name = null) => Parent.ValueKind == JsonValueKind.Object && Parent.EnumerateObject().Any(
        each => (name is null || each.Name.Equals(name, StringComparison.OrdinalIgnoreCase)) && IsText(each.Value, text));

    private static bool IsText(JsonElement value, string text) => value.ValueKind switch
    {
        JsonValueKind.String => value.ValueEquals(text),
        JsonValueKind.Number => value.GetRawText() == text,
        _ => false,
    };

    private IEnumerable<JsonMember> All() => Inner().SelectMany(static each => each.All().Prepend(each));
}
