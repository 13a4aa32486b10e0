using System.Buffers.Text;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>The JSON of an encrypted value: <c>{ "$sealed": "customer:c1 AbC..." }</c>, the person and the bytes in Base64.</summary>
/// <remarks>
/// A member of user data with this name gets another <c>$</c> in front when it is stored, and loses it when it is read, so it is never confused. All
/// methods take compact JSON, in which a name is followed by a colon at once.
/// </remarks>
internal static class SealedText
{
    private static ReadOnlySpan<byte> NameEnd => "sealed\":"u8;

    private static ReadOnlySpan<byte> Beginning => "{\"$sealed\":\""u8;

    /// <summary>Whether the JSON has a member of this name, or of an escaped one.</summary>
    public static bool MayBeIn(ReadOnlySpan<byte> json) => json.Contains((byte)'$') && FindName(json, 0) >= 0;

    /// <summary>Escapes the members of user data that have this name, and moves the personal values accordingly.</summary>
    public static FoundValues Escape(FoundValues data)
    {
        var (json, values) = data;
        if (!MayBeIn(json))
            return data;
        var escaped = new List<byte>(json.Length + 16);
        var places = new List<int>();
        var done = 0;
        for (var at = FindName(json, 0); at >= 0; at = FindName(json, at + 1))
        {
            escaped.AddRange(json.AsSpan(done, at - done));
            escaped.Add((byte)'$');
            places.Add(done = at);
        }
        escaped.AddRange(json.AsSpan(done));
        return new FoundValues([.. escaped], [.. values.Select(value => value with
        {
            Start = value.Start + places.Count(at => at < value.Start),
            Length = value.Length + places.Count(at => at >= value.Start && at < value.Start + value.Length),
        })]);
    }

    /// <summary>Takes back what <see cref="Escape"/> did; the JSON contains no encrypted value any more.</summary>
    public static byte[] Unescape(byte[] json)
    {
        if (!MayBeIn(json))
            return json;
        var unescaped = new List<byte>(json.Length);
        var done = 0;
        for (var at = FindName(json, 0); at >= 0; at = FindName(json, at + 1))
        {
            unescaped.AddRange(json.AsSpan(done, at - done));
            done = at + 1;
        }
        unescaped.AddRange(json.AsSpan(done));
        return [.. unescaped];
    }

    /// <summary>The name that a stored member has in user data.</summary>
    public static string NameInData(string stored) =>
        stored.StartsWith("$$", StringComparison.Ordinal) && stored.AsSpan().TrimStart('$').SequenceEqual("sealed") ? stored[1..] : stored;

    public static byte[] Write(Tag subject, byte[] sealedValue) =>
    [
        .. Beginning,
        .. JsonEncodedText.Encode($"{subject} {Convert.ToBase64String(sealedValue)}", ReadableJsonEncoder.Instance).EncodedUtf8Bytes,
        .. "\"}"u8
    ];

    /// <summary>Reads an encrypted value.</summary>
    /// <param name="json">A JSON object that begins with this member.</param>
    /// <returns>The bytes; null when the object is not an encrypted value.</returns>
    public static byte[]? Read(ReadOnlySpan<byte> json, out Tag subject)
    {
        subject = default;
        var reader = new Utf8JsonReader(json);
        reader.Read();
        reader.Read();
        reader.Read();
        return reader.TokenType == JsonTokenType.String && reader.GetString() is { } text && reader.Read()
            && reader.TokenType == JsonTokenType.EndObject ? Read(text, out subject) : null;
    }

    /// <summary>The same for the text of the member.</summary>
    public static byte[]? Read(string text, out Tag subject)
    {
        subject = default;
        if (text.LastIndexOf(' ') is not (> 0 and var space))
            return null;
        try
        {
            subject = Tag.ParsePerson(text[..space]);
            return Convert.FromBase64String(text[(space + 1)..]);
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            return null;
        }
    }

    /// <summary>Whether the path of a member is that of an encrypted value's.</summary>
    public static bool IsName(string path) => path == "$sealed" || path.EndsWith(".$sealed", StringComparison.Ordinal);

    /// <summary>Where in the text of such a member the person ends and the bytes begin; -1: it is none.</summary>
    public static int FindBytes(ReadOnlySpan<byte> text)
    {
        var space = text.LastIndexOf((byte)' ');
        return space > 0 && Base64.IsValid(text[(space + 1)..], out var length) && length >= Cipher.Overhead ? space : -1;
    }

    /// <summary>The encrypted values in compact JSON, wherever they are.</summary>
    public static List<(Tag Subject, byte[] Value)> FindAll(ReadOnlySpan<byte> json)
    {
        var found = new List<(Tag, byte[])>();
        // In a text the quotes would be escaped, so this is an object.
        for (var at = json.IndexOf(Beginning); at >= 0;)
        {
            if (Read(json[at..], out var subject) is { } value)
                found.Add((subject, value));
            var next = json[(at + Beginning.Length)..].IndexOf(Beginning);
            at = next < 0 ? -1 : at + Beginning.Length + next;
        }
        return found;
    }

    /// <summary>Whether an object of user data begins here with an encrypted value's member.</summary>
    public static bool IsAt(ReadOnlySpan<byte> json, int start) => json[start..].StartsWith(Beginning[..^1]);

    // The place of the first $ of a name of one or more $ and this word; -1: there is none. In a text its quotes would be escaped.
    private static int FindName(ReadOnlySpan<byte> json, int from)
    {
        while (json[from..].IndexOf(NameEnd) is >= 0 and var found)
        {
            var end = from + found;
            var at = end;
            while (at > 0 && json[at - 1] == '$')
                at--;
            if (at < end && at >= 2 && json[at - 1] == '"' && json[at - 2] is (byte)'{' or (byte)',' && at >= from)
                return at;
            from = end + NameEnd.Length;
        }
        return -1;
    }
}
