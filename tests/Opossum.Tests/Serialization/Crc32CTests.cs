using System.Numerics;
using System.Text;
using Opossum.Serialization;

namespace Opossum.Tests.Serialization;

public sealed class Crc32CTests
{
    [Fact]
    public void Value_is_that_of_rfc_3720() => Assert.Equal(0xE3069283, Crc32C.Of(Encoding.ASCII.GetBytes("123456789")));

    [Fact]
    public void Any_length_from_any_place_gives_what_byte_by_byte_does()
    {
        var random = new Random(Seed.Value);
        var bytes = new byte[5_000];
        random.NextBytes(bytes);
        for (var length = 0; length <= 4_200; length += length < 600 ? 1 : 97)
        {
            var start = random.Next(bytes.Length - length);
            var begin = (uint)random.NextInt64();
            var expected = begin;
            foreach (var octet in bytes.AsSpan(start, length))
                expected = BitOperations.Crc32C(expected, octet);

            Assert.True(expected == Crc32C.Add(begin, bytes.AsSpan(start, length)), $"length {length}, {Seed.Assignment}");
        }
    }
}
