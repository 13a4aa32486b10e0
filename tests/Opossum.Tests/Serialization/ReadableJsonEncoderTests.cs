using System.Buffers;
using System.Text;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Tests.Serialization;

public sealed class ReadableJsonEncoderTests
{
    [Theory]
    [InlineData("Grüße, 中文, עברית, 😀👩‍👩‍👧 & <b> 'x' + `/`", "Grüße, 中文, עברית, 😀👩‍👩‍👧 & <b> 'x' + `/`")]
    [InlineData("a\"b\\c", @"a\""b\\c")]
    [InlineData("\0\u0001\b\t\n\v\f\r\u001F", @"\u0000\u0001\b\t\n\u000B\f\r\u001F")]
    [InlineData("ä\u007F\u0080\u2027\u2028\u2029\u202A\uFFFD", "ä\\u007F\u0080\u2027\\u2028\\u2029\u202A\uFFFD")]
    public void Only_what_JSON_demands_and_what_editors_treat_badly_is_escaped(string text, string expected)
    {
        Assert.Equal($"\"{expected}\"", Write(writer => writer.WriteStringValue(text)));
        Assert.Equal($"\"{expected}\"", Write(writer => writer.WriteStringValue(Encoding.UTF8.GetBytes(text))));
    }

    [Fact]
    public void Every_character_comes_back()
    {
        var text = string.Concat(Enumerable.Range(0, 0x110000).Where(Rune.IsValid).Select(value => new Rune(value).ToString()));

        Assert.Equal(text, JsonSerializer.Deserialize<string>(Write(writer => writer.WriteStringValue(text))));
        Assert.Equal(text, JsonSerializer.Deserialize<string>(Write(writer => writer.WriteStringValue(Encoding.UTF8.GetBytes(text)))));
    }

    [Fact]
    public void Half_a_surrogate_pair_is_refused()
    {
        // Not as a theory: an attribute's text is kept in UTF-8 and would lose the halves.
        foreach (var text in new[] { "\uD800", "a\uDC00b", "\uD83D\uD83D\uDE00", "\"\uDE00\uD83D" })
        {
            Assert.ThrowsAny<ArgumentException>(() => Write(writer => writer.WriteStringValue(text)));
            Assert.ThrowsAny<ArgumentException>(() => ReadableJsonEncoder.Instance.Encode(text));
        }
    }

    [Fact]
    public void A_destination_too_small_gets_whole_characters_and_the_rest_can_follow()
    {
        var source = Encoding.UTF8.GetBytes("x\u2028ä\"😀\n\u2029");
        var whole = Encoding.UTF8.GetBytes(Write(writer => writer.WriteStringValue(source)))[1..^1];
        for (var size = 0; size < whole.Length; size++)
        {
            var destination = new byte[whole.Length];
            var status = ReadableJsonEncoder.Instance.EncodeUtf8(source, destination.AsSpan(0, size), out var consumed, out var written);
            Assert.Equal(OperationStatus.DestinationTooSmall, status);
            Assert.Equal(OperationStatus.Done,
                ReadableJsonEncoder.Instance.EncodeUtf8(source.AsSpan(consumed), destination.AsSpan(written), out _, out _));
            Assert.Equal(whole, destination);
        }
    }

    private static string Write(Action<Utf8JsonWriter> write)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, new JsonWriterOptions { Encoder = ReadableJsonEncoder.Instance }))
            write(writer);
        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }
}
