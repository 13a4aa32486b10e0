using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Opossum.Serialization;

/// <summary>The CRC-32C (Castagnoli) of bytes, as in RFC 3720; the processor computes it.</summary>
internal static class Crc32C
{
    /// <summary>The start value of a CRC that is computed piece by piece.</summary>
    public const uint Begin = uint.MaxValue;

    public static uint Of(ReadOnlySpan<byte> bytes) => End(Add(Begin, bytes));

    /// <summary>Extends a CRC with more bytes.</summary>
    [MethodImpl(FirstCall.Optimized)]
    public static uint Add(uint crc, ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length >= sizeof(ulong))
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
            bytes = bytes[sizeof(ulong)..];
        }
        if (bytes.Length >= sizeof(uint))
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt32LittleEndian(bytes));
            bytes = bytes[sizeof(uint)..];
        }
        foreach (var octet in bytes)
            crc = BitOperations.Crc32C(crc, octet);
        return crc;
    }

    /// <summary>Extends a CRC with one more byte.</summary>
    public static uint Add(uint crc, byte octet) => BitOperations.Crc32C(crc, octet);

    /// <summary>The CRC of everything added.</summary>
    public static uint End(uint crc) => ~crc;
}
