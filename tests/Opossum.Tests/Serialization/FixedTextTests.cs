using System.Globalization;
using System.Text;
using Opossum.Serialization;

namespace Opossum.Tests.Serialization;

public sealed class FixedTextTests
{
    private const string TimeFormat = "yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'";

    [Fact]
    public void Texts_that_the_store_writes_are_read()
    {
        var random = new Random(Seed.Value);
        for (var round = 0; round < 2_000; round++)
        {
            var bytes = new byte[16];
            random.NextBytes(bytes);
            var id = new Guid(bytes);
            var ticks = random.NextInt64(DateTime.MaxValue.Ticks + 1);
            var crc = (uint)random.NextInt64();

            Assert.True(FixedText.TryReadId(Utf8($"{id}"), out var readId));
            Assert.Equal(id, readId);
            Assert.True(FixedText.TryReadTime(Utf8(new DateTime(ticks).ToString(TimeFormat, CultureInfo.InvariantCulture)), out var readTicks));
            Assert.Equal(ticks, readTicks);
            Assert.True(FixedText.TryReadCrc(Utf8($"{crc:x8}"), out var readCrc));
            Assert.Equal(crc, readCrc);
        }
    }

    [Theory]
    [InlineData("2026-11-21T10:15:30.1234567Z")]
    [InlineData("2024-02-29T23:59:59.9999999Z")]
    [InlineData("2023-02-28T00:00:00.0000000Z")]
    [InlineData("0001-01-01T00:00:00.0000000Z")]
    [InlineData("9999-12-31T23:59:59.9999999Z")]
    public void Time_with_any_other_byte_is_read_if_it_is_a_time(string text) => ForEachChange(text, changed =>
    {
        var isTime = DateTime.TryParseExact(Encoding.Latin1.GetString(changed), TimeFormat, CultureInfo.InvariantCulture,
            DateTimeStyles.None, out var expected);
        Assert.Equal(isTime, FixedText.TryReadTime(changed, out var ticks));
        Assert.Equal(isTime ? expected.Ticks : 0, ticks);
    });

    [Fact]
    public void Id_with_any_other_byte_is_read_if_it_is_an_id_in_small_letters() => ForEachChange("0198c0de-0af9-7000-8123-00456789abcd", changed =>
    {
        var isId = Guid.TryParseExact(Encoding.Latin1.GetString(changed), "D", out var expected)
            && Utf8($"{expected}").AsSpan().SequenceEqual(changed);
        Assert.Equal(isId, FixedText.TryReadId(changed, out var id));
        if (isId)
            Assert.Equal(expected, id);
    });

    [Fact]
    public void Crc_with_any_other_byte_is_read_if_it_is_one_in_small_letters() => ForEachChange("70c71a95", changed =>
    {
        var isCrc = uint.TryParse(Encoding.Latin1.GetString(changed), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var expected)
            && Utf8($"{expected:x8}").AsSpan().SequenceEqual(changed);
        Assert.Equal(isCrc, FixedText.TryReadCrc(changed, out var crc));
        if (isCrc)
            Assert.Equal(expected, crc);
    });

    private static void ForEachChange(string text, Action<byte[]> test)
    {
        for (var at = 0; at < text.Length; at++)
        {
            for (var octet = 0; octet < 256; octet++)
            {
                var changed = Utf8(text);
                changed[at] = (byte)octet;
                test(changed);
            }
        }
    }

    private static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);
}
