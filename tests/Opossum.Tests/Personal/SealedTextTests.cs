using System.Text;
using System.Text.Json;
using Opossum.Personal;
using Opossum.Serialization;
using Opossum.Tests.Serialization;

namespace Opossum.Tests.Personal;

/// <summary>The name of an encrypted value in user data.</summary>
public sealed class SealedTextTests
{
    [Fact]
    public void Escaped_json_has_no_encrypted_value_and_becomes_what_it_was()
    {
        var (names, lookalikes) = (0, 0);
        for (var seed = 0; seed < 3_000; seed++)
        {
            var json = JsonText.Normalize(Encoding.UTF8.GetBytes(WithNames(new RandomJson(seed).Value(depthMax: 5), seed)));

            var escaped = SealedText.Escape(new FoundValues(json, [])).Json;

            Assert.False(escaped.AsSpan().IndexOf("{\"$sealed\":"u8) >= 0 || HasMember(escaped), Encoding.UTF8.GetString(json));
            Assert.Equal(json, SealedText.Unescape(escaped));
            Assert.Equal(escaped, JsonText.Normalize(escaped));
            // One $ more in each such name, and no other byte is another one.
            Assert.Equal(Encoding.UTF8.GetString(EscapedByNames(json, out var count)), Encoding.UTF8.GetString(escaped));
            names += count;
            lookalikes += CountLookalikes(json);
        }
        Assert.InRange(names, 1_000, int.MaxValue);
        Assert.InRange(lookalikes, 1_000, int.MaxValue);
    }

    [Theory]
    [InlineData("""{"$sealed":1}""")]
    [InlineData("""{"$sealed":"c:1"}""")]
    [InlineData("""{"$sealed":"c AAAA"}""")]
    [InlineData("""{"$sealed":"c:1 AAA"}""")]
    [InlineData("""{"$sealed":"c:1 AAAA","more":1}""")]
    public void What_is_no_encrypted_value_is_not_read_as_one(string json) =>
        Assert.Null(SealedText.Read(Encoding.UTF8.GetBytes(json), out _));

    // Some names of members, and some texts, become that of an encrypted value. The generator's names end with a number, so none occurs twice.
    private static string WithNames(string json, int seed)
    {
        var random = new Random(seed);
        for (var number = 0; number < 5; number++)
        {
            var name = $"{new string('$', random.Next(4))}sealed";
            json = random.Next(3) switch
            {
                0 => json.Replace($"{number}\":", $"\\\"{name}{number}\":", StringComparison.Ordinal),
                1 => System.Text.RegularExpressions.Regex.Replace(json, $"(?<=[{{,])\"(\\\\.|[^\"\\\\])*{number}\":", $"\"{name}\":"),
                _ => json,
            };
        }
        return IsValid(json) ? json : """{"$sealed":[{"$$sealed":"\"$sealed\":"},{"a\"$sealed":{"$sealed":"c:1 AAAA"}}],"sealed":",\"$sealed\":"}""";
    }

    // A name may have come twice into one object.
    private static bool IsValid(string json)
    {
        try
        {
            JsonText.Normalize(Encoding.UTF8.GetBytes(json));
            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }

    // What the JSON reader says is a name.
    private static byte[] EscapedByNames(byte[] json, out int count)
    {
        var escaped = new List<byte>();
        var reader = new Utf8JsonReader(json);
        var done = 0;
        count = 0;
        while (reader.Read())
        {
            if (reader.TokenType != JsonTokenType.PropertyName || reader.GetString()!.TrimStart('$') != "sealed" || reader.ValueTextEquals("sealed"u8))
                continue;
            var inner = (int)reader.TokenStartIndex + 1;
            escaped.AddRange(json[done..inner]);
            escaped.Add((byte)'$');
            done = inner;
            count++;
        }
        escaped.AddRange(json[done..]);
        return [.. escaped];
    }

    // Names and texts that end as such a name does.
    private static int CountLookalikes(byte[] json)
    {
        var reader = new Utf8JsonReader(json);
        var count = 0;
        while (reader.Read())
        {
            if (reader.TokenType is JsonTokenType.PropertyName or JsonTokenType.String && reader.GetString() is { } text
                && (text == "sealed" || (text.Contains("sealed", StringComparison.Ordinal) && text.TrimStart('$') != "sealed")))
            {
                count++;
            }
        }
        return count;
    }

    private static bool HasMember(byte[] json)
    {
        var reader = new Utf8JsonReader(json);
        while (reader.Read())
        {
            if (reader.TokenType == JsonTokenType.PropertyName && reader.ValueTextEquals("$sealed"u8))
                return true;
        }
        return false;
    }
}
