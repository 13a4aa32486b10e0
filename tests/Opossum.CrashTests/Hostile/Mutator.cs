using System.Text;

namespace Opossum.Tests.Hostile;

/// <summary>Changes bytes at random, from a seed: a few places each, by what has misled readers before.</summary>
internal sealed class Mutator(int seed)
{
    private static readonly byte[] octets =
        [0, 1, 0x7F, 0x80, 0xFF, (byte)'"', (byte)'\\', (byte)'{', (byte)'}', (byte)'[', (byte)']', (byte)',', (byte)':', (byte)'-', (byte)'9',
            (byte)'e', (byte)'\n', 0xC3, 0xED, 0xF4];
    private static readonly long[] numbers =
        [0, 1, 7, 8, 127, 128, 255, 256, 16_384, int.MaxValue - 8, int.MaxValue - 1, int.MaxValue, 0x80000000, uint.MaxValue - 8, uint.MaxValue,
            long.MaxValue];
    private static readonly string[] words =
        ["null", "true", "1e999", "-1", "0.5", "99999999999999999999", "\"\\ud800\"", "\"\\u0000\"", "{\"a\":1,\"a\":1}", "[[[[[[[[[[",
            "\"checksum\": \"crc32c:00000000\"", "\"version\": 0", "//", "\uFEFF"];

    private readonly Random random = new(seed);

    public bool Half => random.Next(2) == 0;

    public int Next(int count) => random.Next(count);

    public T Pick<T>(IReadOnlyList<T> all) => all[random.Next(all.Count)];

    /// <summary>A changed copy; some of it may come from the other bytes.</summary>
    public byte[] Change(byte[] bytes, byte[] other)
    {
        var changed = bytes.ToList();
        for (var times = 1 + random.Next(4); times > 0; times--)
            ChangeOnce(changed, other);
        return [.. changed];
    }

    private void ChangeOnce(List<byte> bytes, byte[] other)
    {
        var at = random.Next(bytes.Count + 1);
        var count = Math.Min(random.Next(1, 1 << random.Next(1, 8)), bytes.Count - at);
        switch (random.Next(10))
        {
            case 0 when at < bytes.Count:
                bytes[at] ^= (byte)(1 << random.Next(8));
                break;
            case 1 when at < bytes.Count:
                bytes[at] = Pick(octets);
                break;
            case 2:
                bytes.RemoveRange(at, count);
                break;
            case 3:
                bytes.InsertRange(at, bytes.GetRange(at, count));
                break;
            case 4:
                bytes.InsertRange(at, Slice(other));
                break;
            case 5:
                Overwrite(bytes, at, Slice(other));
                break;
            case 6:
                Overwrite(bytes, at, BitConverter.GetBytes(Pick(numbers))[..Pick([1, 2, 4, 8])]);
                break;
            case 7:
                bytes.InsertRange(at, Encoding.UTF8.GetBytes(Pick(words)));
                break;
            case 8:
                Overwrite(bytes, at, new byte[count]);
                break;
            default:
                bytes.RemoveRange(at, random.Next(3) == 0 ? bytes.Count - at : 0);
                break;
        }
    }

    private byte[] Slice(byte[] other)
    {
        var start = random.Next(other.Length);
        return other[start..(start + random.Next(Math.Min(200, other.Length - start) + 1))];
    }

    private static void Overwrite(List<byte> bytes, int at, byte[] by)
    {
        for (var offset = 0; offset < by.Length && at + offset < bytes.Count; offset++)
            bytes[at + offset] = by[offset];
    }
}
