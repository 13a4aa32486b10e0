using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Opossum;

/// <summary>Makes ids of events: UUIDs of version 7 (RFC 9562), which are ordered by the millisecond in which they were made.</summary>
internal static class EventIds
{
    private const int TimeLength = 6;
    private const int RandomLength = 10;
    private const int IdsInBlock = 64;

    // A copy of the process, as of a virtual machine that was saved, has the block, too. By the time it continues, the block is too old.
    private const long BlockAgeMax = 1_000;

    // A read of random bytes takes longer than all else about an id. A thread's first id has its own: many processes make one, and the generator that
    // fills a block takes milliseconds at its first use.
    [ThreadStatic]
    private static bool hasMadeOne;

    [ThreadStatic]
    private static byte[]? block;

    [ThreadStatic]
    private static int used;

    [ThreadStatic]
    private static long blockMade;

    /// <summary>When an id was made, in milliseconds since 1970; null: it is of another version, and states no time.</summary>
    public static long? TimeOf(Guid id)
    {
        if (id.Version != 7)
            return null;
        Span<byte> bytes = stackalloc byte[TimeLength + RandomLength];
        id.TryWriteBytes(bytes, bigEndian: true, out _);
        return BinaryPrimitives.ReadInt64BigEndian(bytes) >>> 16;
    }

    public static Guid New()
    {
        if (!hasMadeOne)
        {
            hasMadeOne = true;
            return Guid.CreateVersion7();
        }
        var now = TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds();
        if (block is null || used == block.Length || now - blockMade is < 0 or > BlockAgeMax)
        {
            block ??= new byte[IdsInBlock * RandomLength];
            RandomNumberGenerator.Fill(block);
            (used, blockMade) = (0, now);
        }
        Span<byte> id = stackalloc byte[TimeLength + RandomLength];
        BinaryPrimitives.WriteInt64BigEndian(id, now << 16);
        block.AsSpan(used, RandomLength).CopyTo(id[TimeLength..]);
        used += RandomLength;
        id[6] = (byte)(0x70 | (id[6] & 0x0F));
        id[8] = (byte)(0x80 | (id[8] & 0x3F));
        return new Guid(id, bigEndian: true);
    }
}
