using System.Text;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>Says to which members of a JSON file some of its bytes belong.</summary>
internal static class JsonPlaces
{
    private const int DepthMax = 1_000;

    /// <summary>Finds the members.</summary>
    /// <param name="offsets">The places, ascending.</param>
    /// <param name="root">Receives the texts and numbers that are members of the outermost object.</param>
    /// <returns>The member for each place; null where the file is not JSON, or the place is in no member.</returns>
    public static JsonPlace?[] Find(ReadOnlySpan<byte> bytes, IReadOnlyList<long> offsets, Dictionary<string, string> root)
    {
        var members = new JsonPlace?[offsets.Count];
        var json = CanonicalText.WithoutByteOrderMark(bytes);
        var start = bytes.Length - json.Length;
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = DepthMax });
        var parents = new Stack<Parent>();
        var (next, path) = (0, "");
        try
        {
            while (reader.Read())
            {
                path = Step(ref reader, parents, path);
                var token = start + (int)reader.TokenStartIndex;
                var value = reader.TokenType is JsonTokenType.String or JsonTokenType.PropertyName ? token + 1 : token;
                for (; next < members.Length && offsets[next] < start + reader.BytesConsumed; next++)
                    members[next] = path.Length > 0 && offsets[next] >= token ? new JsonPlace(path, value, value + reader.ValueSpan.Length) : null;
                if (parents.Count == 1 && reader.TokenType is JsonTokenType.String or JsonTokenType.Number)
                    root[path] = reader.TokenType == JsonTokenType.String ? reader.GetString()! : Encoding.UTF8.GetString(reader.ValueSpan);
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // It is damaged from here on, or no JSON: the places are reported without a member.
        }
        return members;
    }

    // The path of the token; what opens an object or an array becomes a parent.
    private static string Step(ref Utf8JsonReader reader, Stack<Parent> parents, string path)
    {
        switch (reader.TokenType)
        {
            case JsonTokenType.EndObject or JsonTokenType.EndArray:
                return parents.Pop().Path;
            case JsonTokenType.PropertyName:
                return MemberPath.Member(parents.Peek().Path, reader.GetString()!);
        }
        if (parents.TryPeek(out var parent) && parent.IsArray)
            path = MemberPath.Element(parent.Path, parent.Elements++);
        if (reader.TokenType is JsonTokenType.StartObject or JsonTokenType.StartArray)
            parents.Push(new Parent(path, reader.TokenType == JsonTokenType.StartArray));
        return path;
    }

    private sealed class Parent(string path, bool isArray)
    {
        public string Path => path;

        public bool IsArray => isArray;

        public int Elements { get; set; }
    }
}
