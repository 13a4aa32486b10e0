using System.Buffers;
using System.Text;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Tests.Serialization;

public sealed class JsonTextTests
{
    [Theory]
    [InlineData("{}", "{}")]
    [InlineData("[]", "[]")]
    [InlineData("42", "42")]
    [InlineData("""{"a":1,"b":[true,null],"c":{},"d":[]}""",
        "{\n    \"a\": 1,\n    \"b\": [\n      true,\n      null\n    ],\n    \"c\": {},\n    \"d\": []\n  }")]
    [InlineData("""{"{\"a\\":"},[:"}""", "{\n    \"{\\\"a\\\\\": \"},[:\"\n  }")]
    public void Indented_a_value_stands_at_the_level_of_its_place_in_the_file(string compact, string indented) =>
        Assert.Equal(indented, Indent(compact, depth: 1));

    [Fact]
    public void Indented_JSON_is_what_the_frameworks_writer_writes()
    {
        ForRandomJson((compact, _) =>
        {
            var expected = new ArrayBufferWriter<byte>();
            using (var writer =
                new Utf8JsonWriter(expected, new JsonWriterOptions { Encoder = ReadableJsonEncoder.Instance, Indented = true, NewLine = "\n" }))
            {
                using var document = JsonDocument.Parse(compact);
                document.RootElement.WriteTo(writer);
            }
            Assert.Equal(Encoding.UTF8.GetString(expected.WrittenSpan), Indent(compact, depth: 0));
        });
    }

    [Fact]
    public void Normalizing_what_was_indented_gives_back_every_byte() =>
        ForRandomJson((compact, _) => Assert.Equal(compact, Normalize(Indent(compact, depth: 1))));

    [Fact]
    public void Normalizing_takes_white_space_away_and_nothing_else() =>
        ForRandomJson((compact, random) => Assert.Equal(compact, Normalize(random.Loosen(compact))));

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(64)]
    public void A_buffer_that_grows_in_small_steps_gets_the_same_bytes(int segmentBytes)
    {
        ForRandomJson((compact, _) =>
        {
            var output = new StingyBuffer(segmentBytes);
            JsonText.WriteIndented(Encoding.UTF8.GetBytes(compact), output, 1);
            Assert.Equal(Indent(compact, depth: 1), Encoding.UTF8.GetString(output.Written.ToArray()));
        });
    }

    [Theory]
    [InlineData(@"""\u00e4\u4e2d\uD83D\uDE00\/\u0041""", "\"ä中😀/A\"")]
    [InlineData(@"""\u000a\u0022\u005c\u0008\u000C\u0001""", @"""\n\""\\\b\f\u0001""")]
    [InlineData("\"\u007F\u2028\u2029\u2030\u0080\"", "\"\\u007F\\u2028\\u2029\u2030\u0080\"")]
    [InlineData(@"{""\u0061"":1}", """{"a":1}""")]
    [InlineData("\"\uFFFD \\uFFFD\"", "\"\uFFFD \uFFFD\"")]
    public void Strings_are_written_in_one_readable_form(string json, string expected) => Assert.Equal(expected, Normalize(json));

    [Fact]
    public void A_long_string_of_characters_to_escape_is_kept()
    {
        var escaped = string.Concat(Enumerable.Repeat("\\u2028x", 100_000));

        Assert.Equal($"\"{escaped}\"", Normalize($"\"{escaped.Replace("\\u2028", "\u2028", StringComparison.Ordinal)}\""));
        Assert.Equal($"\"{escaped}\"", Normalize($"\"{escaped}\""));
    }

    [Theory]
    [InlineData("123456789012345678901234567890.123456789012345678901234567890")]
    [InlineData("1e999999")]
    [InlineData("-0.0")]
    [InlineData("1.10E+05")]
    public void Numbers_keep_their_text(string number) => Assert.Equal($"[{number}]", Normalize($"[ {number} ]"));

    [Theory]
    [InlineData("")]
    [InlineData("  ")]
    [InlineData("{")]
    [InlineData("[1,]")]
    [InlineData("""{"a":1,}""")]
    [InlineData("[1] // comment")]
    [InlineData("/* comment */ 1")]
    [InlineData("1 2")]
    [InlineData("{} {}")]
    [InlineData("01")]
    [InlineData("+1")]
    [InlineData("NaN")]
    [InlineData("'a'")]
    [InlineData("{a:1}")]
    [InlineData("\"a\nb\"")]
    [InlineData("\"\0\"")]
    [InlineData("\0")]
    [InlineData("{}\0")]
    [InlineData("\uFEFF{}")]
    [InlineData(@"""\x41""")]
    [InlineData(@"""\ud800""")]
    [InlineData(@"""\ud800\u0041""")]
    [InlineData(@"""\udc00\ud800""")]
    [InlineData(@"{""\udfff"":1}")]
    public void What_is_not_one_strict_JSON_value_is_refused(string json) => Assert.ThrowsAny<JsonException>(() => Normalize(json));

    [Theory]
    [InlineData(new byte[] { 0x22, 0xFF, 0x22 })]
    [InlineData(new byte[] { 0x22, 0xC3, 0x22 })]
    [InlineData(new byte[] { 0x22, 0xC0, 0x80, 0x22 })]
    [InlineData(new byte[] { 0x22, 0xED, 0xA0, 0x80, 0x22 })]
    [InlineData(new byte[] { 0x22, 0xF4, 0x90, 0x80, 0x80, 0x22 })]
    public void Bytes_that_are_not_UTF8_are_refused(byte[] json)
    {
        var exception = Assert.Throws<JsonException>(() => JsonText.Normalize(json));

        Assert.Contains("BytePositionInLine: 1", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Nesting_is_allowed_up_to_the_limit()
    {
        static string Nested(int depth) => new string('[', depth) + new string(']', depth);

        Assert.Equal(Nested(JsonText.DepthMax), Normalize(Nested(JsonText.DepthMax)));
        Assert.ThrowsAny<JsonException>(() => Normalize(Nested(JsonText.DepthMax + 1)));
        Assert.ThrowsAny<JsonException>(() => Normalize(new string('[', 1_000_000)));
        Assert.ThrowsAny<JsonException>(() => Normalize(string.Concat(Enumerable.Repeat("{\"a\":", 100_000))));
    }

    [Theory]
    [InlineData("""{"a":1,"a":1}""")]
    [InlineData(@"{""a"":1,""\u0061"":1}")]
    [InlineData("""{"b":{"a":1},"c":[{"a":1,"x":{"a":2},"a":3}]}""")]
    [InlineData("""{"":1,"":2}""")]
    public void A_member_twice_in_one_object_is_refused(string json)
    {
        var exception = Assert.Throws<JsonException>(() => Normalize(json));

        Assert.Contains("twice", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("""{"a":{"a":{"a":1}},"A":1}""")]
    [InlineData("""[{"a":1},{"a":1}]""")]
    public void A_name_may_stand_again_in_another_object(string json) => Assert.Equal(json, Normalize(json));

    [Fact]
    public void Many_members_are_judged_in_little_time_and_the_second_of_a_name_is_told()
    {
        LongTests.SkipUnlessAsked();
        var members = string.Join(",\n", Enumerable.Range(0, 200_000).Select(number => $"\"m{number}\":{number}"));

        Assert.Equal($"{{{members}}}".Replace("\n", "", StringComparison.Ordinal), Normalize($"{{{members}}}"));
        var exception = Assert.Throws<JsonException>(() => Normalize($"{{{members},\n \"m17\":0}}"));
        Assert.Equal((200_000, 1), (exception.LineNumber, exception.BytePositionInLine));
        Assert.Contains("\"m17\"", exception.Message, StringComparison.Ordinal);
    }

    private static void ForRandomJson(Action<string, RandomJson> check)
    {
        for (var count = 0; count < 1_000; count++)
        {
            var seed = Random.Shared.Next();
            var random = new RandomJson(seed);
            var compact = random.Value(depthMax: 4);
            try
            {
                check(compact, random);
            }
            catch (Exception exception)
            {
                throw new InvalidOperationException($"Seed {seed}: {compact}", exception);
            }
        }
    }

    private static string Normalize(string json) => Encoding.UTF8.GetString(JsonText.Normalize(Encoding.UTF8.GetBytes(json)));

    private static string Indent(string compact, int depth)
    {
        var output = new ArrayBufferWriter<byte>();
        JsonText.WriteIndented(Encoding.UTF8.GetBytes(compact), output, depth);
        Assert.Equal(output.WrittenCount, JsonText.IndentedLength(Encoding.UTF8.GetBytes(compact), depth));
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    /// <summary>Gives no more room than it must.</summary>
    private sealed class StingyBuffer(int segmentBytes) : IBufferWriter<byte>
    {
        private byte[] segment = [];

        public List<byte> Written { get; } = [];

        public void Advance(int count) => Written.AddRange(segment.AsSpan(0, count));

        public Memory<byte> GetMemory(int sizeHint = 0) => segment = new byte[Math.Max(segmentBytes, sizeHint)];

        public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;
    }
}
