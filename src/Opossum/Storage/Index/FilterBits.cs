using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// A block of a split-block Bloom filter, as Parquet has it: a name sets one bit in each of eight words, and a name whose bits are not all set was
/// never added.
/// </summary>
internal static class FilterBits
{
    public const int Words = 8;

    // From the Parquet format: odd numbers that choose the bit of each word.
    private static ReadOnlySpan<uint> Salts =>
        [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31];

    public static void Add(Span<uint> block, ulong hash)
    {
        for (var at = 0; at < Words; at++)
            block[at] |= Bit(hash, at);
    }

    [MethodImpl(FirstCall.Optimized)]
    public static bool MayContain(ReadOnlySpan<byte> block, ulong hash)
    {
        if (Avx2.IsSupported)
        {
            var places = Vector256.ShiftRightLogical(Vector256.Create((uint)hash) * Vector256.Create(Salts), 27);
            var bits = Avx2.ShiftLeftLogicalVariable(Vector256<uint>.One, places);
            return (Vector256.Create(block).AsUInt32() & bits) == bits;
        }
        for (var at = 0; at < Words; at++)
        {
            if ((BinaryPrimitives.ReadUInt32LittleEndian(block[(at * sizeof(uint))..]) & Bit(hash, at)) == 0)
                return false;
        }
        return true;
    }

    private static uint Bit(ulong hash, int word) => 1u << (int)((uint)hash * Salts[word] >> 27);
}
