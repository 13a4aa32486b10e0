using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Opossum.Serialization;

/// <summary>The CRC-32C (Castagnoli) of bytes, as in RFC 3720; the processor computes it.</summary>
internal static class Crc32C
{
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static uint Of(ReadOnlySpan<byte> bytes)
    {
        var crc = uint.MaxValue;
        while (bytes.Length >= sizeof(ulong))
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
            bytes = bytes[sizeof(ulong)..];
        }
        foreach (var octet in bytes)
            crc = BitOperations.Crc32C(crc, octet);
        return ~crc;
    }
}
