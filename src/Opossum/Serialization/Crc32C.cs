using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Opossum.Serialization;

/// <summary>The CRC-32C (Castagnoli) of bytes, as in RFC 3720; the processor computes it.</summary>
internal static class Crc32C
{
    /// <summary>The start value of a CRC that is computed piece by piece.</summary>
    public const uint Begin = uint.MaxValue;

    // Four times 16 bytes are folded at once.
    private const int FoldLength = 64;
    private const int FoldMin = 2 * FoldLength;

    public static uint Of(ReadOnlySpan<byte> bytes) => End(Add(Begin, bytes));

    /// <summary>Extends a CRC with more bytes.</summary>
    [MethodImpl(FirstCall.Optimized)]
    public static uint Add(uint crc, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length >= FoldMin && Pclmulqdq.IsSupported && Sse42.X64.IsSupported)
        {
            crc = AddFolded(crc, bytes);
            bytes = bytes[(bytes.Length / FoldLength * FoldLength)..];
        }
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

    public static uint Add(uint crc, byte octet) => BitOperations.Crc32C(crc, octet);

    public static uint End(uint crc) => ~crc;

    // Extends the CRC with all whole blocks of 64 bytes. The instruction for eight bytes waits for the one before it; carry-less products of four
    // accumulators do not wait for each other: see V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction".
    // The factors are powers of x modulo the polynomial: for a distance of 64, of 16, and of 32 bytes.
    [MethodImpl(FirstCall.Optimized)]
    private static uint AddFolded(uint crc, ReadOnlySpan<byte> bytes)
    {
        ref var start = ref MemoryMarshal.GetReference(bytes);
        var by64 = Vector128.Create(0x740eef02UL, 0x9e4addf8UL);
        var by16 = Vector128.Create(0xf20c0dfeUL, 0x493c7d27UL);
        var by32 = Vector128.Create(0x3da6d0cbUL, 0xba4fc28eUL);
        var first = Load(ref start, 0) ^ Vector128.CreateScalar((ulong)crc);
        var (second, third, fourth) = (Load(ref start, 16), Load(ref start, 32), Load(ref start, 48));
        for (nuint at = FoldLength; at + FoldLength <= (nuint)bytes.Length; at += FoldLength)
        {
            first = Fold(first, by64) ^ Load(ref start, at);
            second = Fold(second, by64) ^ Load(ref start, at + 16);
            third = Fold(third, by64) ^ Load(ref start, at + 32);
            fourth = Fold(fourth, by64) ^ Load(ref start, at + 48);
        }
        var rest = Fold(Fold(first, by16) ^ second, by32) ^ Fold(third, by16) ^ fourth;
        return BitOperations.Crc32C(BitOperations.Crc32C(0, rest[0]), rest[1]);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ulong> Load(ref byte start, nuint at) => Vector128.LoadUnsafe(ref start, at).AsUInt64();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ulong> Fold(Vector128<ulong> rest, Vector128<ulong> factors) =>
        Pclmulqdq.CarrylessMultiply(rest, factors, 0x00) ^ Pclmulqdq.CarrylessMultiply(rest, factors, 0x11);
}
