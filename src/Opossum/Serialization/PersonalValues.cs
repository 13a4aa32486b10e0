using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>
/// Finds the personal values of compact JSON, in their order, and refuses JSON in which they cannot be found for certain. Null is no value.
/// </summary>
internal ref struct PersonalValues
{
    private const int SealedLengthUsually = 128;

    private readonly ReadOnlySpan<byte> json;
    private readonly bool ignoresCase;
    private readonly bool isOfClass;
    private readonly List<PersonalValue> found = [];
    // The JSON without its marks, up to the place of the next byte to copy; null: it has none.
    private readonly List<byte>? unmarked;
    private int copied;
    private Utf8JsonReader reader;

    private PersonalValues(ReadOnlySpan<byte> json, bool ignoresCase, bool isOfClass, bool isMarked)
    {
        this.json = json;
        this.ignoresCase = ignoresCase;
        this.isOfClass = isOfClass;
        unmarked = isMarked ? new List<byte>(json.Length) : null;
        reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = JsonText.DepthMax });
    }

    /// <summary>Finds the values in what the serializer has written.</summary>
    /// <param name="paths">Where the paths of the event type lead; null: it has none.</param>
    /// <exception cref="ArgumentException">A converter hides a mark, or the JSON does not fit the paths; the message has no value.</exception>
    public static FoundValues InMarked(byte[] json, JsonShape? paths)
    {
        var isMarked = PersonalMarks.AreIn(json);
        if (!isMarked && paths is null)
            return new FoundValues(json, []);
        var values = new PersonalValues(json, ignoresCase: false, isOfClass: true, isMarked);
        values.reader.Read();
        values.Read(declared: null, paths, "");
        return new FoundValues(values.unmarked is null ? json : [.. values.unmarked, .. json.AsSpan(values.copied)], values.found);
    }

    /// <summary>Finds the values in JSON that the serializer has not written.</summary>
    /// <param name="declared">The members of the event type's class; null: it has none.</param>
    /// <param name="paths">Where the paths of the event type lead; null: it has none.</param>
    /// <param name="ignoresCase">Whether the class is read without regard to case.</param>
    /// <exception cref="ArgumentException">
    /// Two members become one property, or the JSON does not fit the paths or the class; the message has no value.
    /// </exception>
    public static List<PersonalValue> In(byte[] json, JsonShape? declared, JsonShape? paths, bool ignoresCase, bool isOfClass)
    {
        var values = new PersonalValues(json, ignoresCase, isOfClass, isMarked: false);
        values.reader.Read();
        values.Read(declared, paths, "");
        return values.found;
    }

    /// <summary>The same JSON with other values.</summary>
    /// <param name="replace">Returns the JSON that takes the place of a value, by its number.</param>
    public static byte[] Replace(byte[] json, IReadOnlyList<PersonalValue> values, Func<int, byte[]> replace)
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

    /// <summary>The text or the number that a member of an object has; null: it has none.</summary>
    /// <param name="json">Compact JSON that begins with the object.</param>
    /// <param name="ignoresCase">Whether the name may differ in case.</param>
    public static string? ValueIn(ReadOnlySpan<byte> json, string member, bool ignoresCase)
    {
        var comparison = ignoresCase ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = JsonText.DepthMax });
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var isIt = reader.GetString()!.Equals(member, comparison);
            reader.Read();
            if (isIt)
            {
                return reader.TokenType switch
                {
                    JsonTokenType.String => reader.GetString(),
                    JsonTokenType.Number => Encoding.UTF8.GetString(reader.ValueSpan),
                    _ => null,
                };
            }
            reader.Skip();
        }
        return null;
    }

    // The reader is at a value, and ends at the end of it.
    private void Read(JsonShape? declared, JsonShape? paths, string path)
    {
        RefuseMisfit(paths, path);
        if (reader.TokenType == JsonTokenType.StartObject)
            ReadObject(declared?.VariantOf(json[(int)reader.TokenStartIndex..]), paths, path);
        else if (reader.TokenType == JsonTokenType.StartArray)
            ReadArray(declared?.Elements, paths?.Elements, path);
        else if (unmarked is not null && reader.TokenType == JsonTokenType.String && PersonalMarks.AreIn(reader.ValueSpan))
            throw InText(path);
    }

    private void ReadObject(JsonShape? declared, JsonShape? paths, string path)
    {
        var start = (int)reader.TokenStartIndex;
        Dictionary<string, PersonalRule>? marks = null;
        Dictionary<string, string>? read = null;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            if (unmarked is not null && PersonalMarks.IsMark(ref reader))
            {
                var (marked, its) = TakeMark();
                (marks ??= new(StringComparer.Ordinal)).Add(marked, its);
                continue;
            }
            var name = reader.GetString()!;
            reader.Read();
            var member = declared is null ? null : MemberOf(declared, name, path, ref read);
            var named = paths is null ? null : NamedBy(paths, name, path);
            if ((named?.Rule ?? marks?.GetValueOrDefault(name) ?? member?.Rule) is { } rule)
                AddWhole(rule, MemberPath.Member(path, name), start);
            else if (unmarked is not null || named is not null || member is { IsLeaf: false })
                Read(member, named, MemberPath.Member(path, name));
            else
                reader.Skip();
        }
    }

    private void ReadArray(JsonShape? declared, JsonShape? paths, string path)
    {
        for (var at = 0; reader.Read() && reader.TokenType != JsonTokenType.EndArray; at++)
        {
            if (paths?.Rule is { } rule)
                AddWhole(rule, MemberPath.Element(path, at), start: -1);
            else if (unmarked is not null || paths is not null || declared is not null)
                Read(declared, paths, MemberPath.Element(path, at));
            else
                reader.Skip();
        }
    }

    // The object of the member begins at the start; -1: it is an element.
    private void AddWhole(PersonalRule rule, string path, int start)
    {
        if (reader.TokenType == JsonTokenType.Null)
            return;
        if (reader.CurrentDepth >= JsonText.DepthMax)
        {
            throw new ArgumentException(string.Create(CultureInfo.InvariantCulture,
                $"Its member {path} is personal and lies {JsonText.DepthMax} levels deep; encrypted it would be too deep."));
        }
        var first = Place((int)reader.TokenStartIndex);
        var count = found.Count;
        if (unmarked is null)
            reader.Skip();
        else
            Read(declared: null, paths: null, path);
        found.RemoveRange(count, found.Count - count);
        var subject = rule.SubjectMember is { } member && start >= 0 ? ValueIn(json[start..], member, ignoresCase) : null;
        found.Add(new PersonalValue(first, Place((int)reader.BytesConsumed) - first, path, rule, subject));
    }

    private readonly int Place(int at) => unmarked is null ? at : unmarked.Count + at - copied;

    private (string Member, PersonalRule Rule) TakeMark()
    {
        var output = unmarked!;
        output.AddRange(json[copied..(int)reader.TokenStartIndex]);
        var mark = PersonalMarks.Read(ref reader);
        copied = (int)reader.BytesConsumed;
        if (json[copied] == ',')
            copied++;
        else if (output[^1] == ',')
            output.RemoveAt(output.Count - 1);
        return mark;
    }

    private readonly JsonShape? MemberOf(JsonShape declared, string name, string path, ref Dictionary<string, string>? read)
    {
        if (declared.NameOf(name) is not { } property)
            return declared.Values;
        var member = declared.Members[property];
        if (ignoresCase && !(read ??= new(StringComparer.Ordinal)).TryAdd(property, name))
        {
            throw new ArgumentException($"Its members {MemberPath.Member(path, read[property])} and {MemberPath.Member(path, name)} become one "
                + "property of its class, which is read without regard to case. Remove one of them.");
        }
        if (property == name || ignoresCase)
            return member;
        if (!member.IsPersonal)
            return null;
        // An older version may have had another name.
        return isOfClass ? throw OtherCase(path, name, property) : member;
    }

    private readonly JsonShape? NamedBy(JsonShape paths, string name, string path) =>
        paths.NameOf(name) is not { } known ? paths.Values
        : known == name || ignoresCase ? paths.Members[known]
        : throw OtherCase(path, name, known);

    private readonly void RefuseMisfit(JsonShape? paths, string path)
    {
        var fits = paths is null || reader.TokenType switch
        {
            JsonTokenType.Null => true,
            JsonTokenType.StartArray => paths.Elements is not null,
            JsonTokenType.StartObject => paths.Values is not null || paths.Members.Count > 0,
            _ => false,
        };
        if (!fits)
        {
            throw new ArgumentException($"{(path.Length == 0 ? "Its data" : $"Its member {path}")} does not fit the paths of the event type's "
                + "personal members (AddPersonal), so what is personal in it is not known. Correct the JSON, or register the path of this form.");
        }
    }

    private static ArgumentException InText(string path) => new($"Its member {path} is written by a converter that makes a text of an object with "
        + "[Personal] members. Put [Personal] on the member itself.");

    private static ArgumentException OtherCase(string path, string name, string known) =>
        new($"Its member {MemberPath.Member(path, name)} differs only in case from {known}, which is personal or leads to what is. Write {known}.");
}
