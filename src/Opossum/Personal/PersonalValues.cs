using System.Globalization;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>Finds the personal values of compact JSON, in their order. Null is no value.</summary>
internal ref struct PersonalValues
{
    private const int SealedLengthUsually = 128;

    private readonly List<PersonalValue> found = [];
    private Utf8JsonReader reader;

    private PersonalValues(ReadOnlySpan<byte> json) => reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = JsonText.DepthMax });

    /// <summary>Finds the values.</summary>
    /// <exception cref="ArgumentException">A value lies too deep.</exception>
    public static List<PersonalValue> Find(PersonalShape shape, ReadOnlySpan<byte> json)
    {
        var values = new PersonalValues(json);
        values.reader.Read();
        values.Read(shape, "");
        return values.found;
    }

    /// <summary>The same JSON with other values.</summary>
    /// <param name="json">The JSON.</param>
    /// <param name="values">What <see cref="Find"/> found in it.</param>
    /// <param name="replace">Returns the JSON that takes the place of a value, by its number.</param>
    public static byte[] Replace(byte[] json, List<PersonalValue> values, Func<int, byte[]> replace)
    {
        var result = new List<byte>(json.Length + (values.Count * SealedLengthUsually));
        var done = 0;
        for (var at = 0; at < values.Count; at++)
        {
            result.AddRange(json.AsSpan(done, values[at].Start - done));
            result.AddRange(replace(at));
            done = values[at].Start + values[at].Length;
        }
        result.AddRange(json.AsSpan(done));
        return [.. result];
    }

    private void Read(PersonalShape shape, string path)
    {
        if (reader.TokenType == JsonTokenType.StartObject)
            ReadObject(shape, path);
        else if (reader.TokenType == JsonTokenType.StartArray && shape.Elements is { } elements)
            ReadArray(elements, path);
        else
            reader.Skip();
    }

    private void ReadObject(PersonalShape shape, string path)
    {
        Dictionary<string, string>? subjects = null;
        List<int>? waiting = null;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var name = reader.GetString()!;
            reader.Read();
            if (shape.NamesSubject(name) && ValueOf(ref reader) is { } subject)
                (subjects ??= new(StringComparer.Ordinal))[name] = subject;
            if (shape.Find(name) is not { } member)
            {
                reader.Skip();
                continue;
            }
            var count = found.Count;
            ReadValue(member, MemberPath.Member(path, name));
            if (member.Rule?.SubjectMember is not null && found.Count > count)
                (waiting ??= []).Add(count);
        }
        // The member that names the person may follow the values.
        foreach (var at in waiting ?? [])
            found[at] = found[at] with { SubjectValue = subjects?.GetValueOrDefault(found[at].Rule.SubjectMember!) };
    }

    private void ReadArray(PersonalShape elements, string path)
    {
        for (var at = 0; reader.Read() && reader.TokenType != JsonTokenType.EndArray; at++)
            ReadValue(elements, MemberPath.Element(path, at));
    }

    private void ReadValue(PersonalShape shape, string path)
    {
        if (shape.Rule is not { } rule)
        {
            Read(shape, path);
            return;
        }
        if (reader.TokenType == JsonTokenType.Null)
            return;
        if (reader.CurrentDepth >= JsonText.DepthMax)
        {
            throw new ArgumentException(string.Create(CultureInfo.InvariantCulture,
                $"Its member {path} is personal and lies {JsonText.DepthMax} levels deep; encrypted it would be too deep."));
        }
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        found.Add(new PersonalValue(start, (int)reader.BytesConsumed - start, path, rule, SubjectValue: null));
    }

    private static string? ValueOf(ref Utf8JsonReader reader) => reader.TokenType switch
    {
        JsonTokenType.String => reader.GetString(),
        JsonTokenType.Number => System.Text.Encoding.UTF8.GetString(reader.ValueSpan),
        _ => null,
    };
}
