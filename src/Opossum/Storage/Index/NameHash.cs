using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>The hash by which runs sort names: SipHash-1-3 with the store's id as its key.</summary>
/// <remarks>
/// The same in every process. Who can choose tags, but not read the store, cannot choose them so that many share a place
/// (Aumasson and Bernstein, "SipHash: a fast short-input PRF").
/// </remarks>
internal readonly struct NameHash
{
    private readonly ulong first;
    private readonly ulong second;

    public NameHash(Guid storeId)
    {
        Span<byte> key = stackalloc byte[16];
        storeId.TryWriteBytes(key, bigEndian: true, out _);
        first = BinaryPrimitives.ReadUInt64LittleEndian(key);
        second = BinaryPrimitives.ReadUInt64LittleEndian(key[8..]);
    }

    /// <summary>The hash of a type or tag: of its text and one more byte, 1 for a type and 0 for a tag.</summary>
    [MethodImpl(FirstCall.Optimized)]
    public ulong Of(ReadOnlySpan<byte> text, bool isType)
    {
        var v0 = first ^ 0x736F6D6570736575;
        var v1 = second ^ 0x646F72616E646F6D;
        var v2 = first ^ 0x6C7967656E657261;
        var v3 = second ^ 0x7465646279746573;
        var length = text.Length + 1;
        for (; text.Length >= sizeof(ulong); text = text[sizeof(ulong)..])
            Take(BinaryPrimitives.ReadUInt64LittleEndian(text), ref v0, ref v1, ref v2, ref v3);
        var rest = (isType ? 1UL : 0) << (8 * text.Length);
        for (var at = 0; at < text.Length; at++)
            rest |= (ulong)text[at] << (8 * at);
        if (text.Length + 1 == sizeof(ulong))
        {
            Take(rest, ref v0, ref v1, ref v2, ref v3);
            rest = 0;
        }
        Take(rest | (ulong)length << 56, ref v0, ref v1, ref v2, ref v3);
        v2 ^= 0xFF;
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Take(ulong word, ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        v3 ^= word;
        Round(ref v0, ref v1, ref v2, ref v3);
        v0 ^= word;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Round(ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        v0 += v1;
        v2 += v3;
        v1 = BitOperations.RotateLeft(v1, 13) ^ v0;
        v3 = BitOperations.RotateLeft(v3, 16) ^ v2;
        v0 = BitOperations.RotateLeft(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = BitOperations.RotateLeft(v1, 17) ^ v2;
        v3 = BitOperations.RotateLeft(v3, 21) ^ v0;
        v2 = BitOperations.RotateLeft(v2, 32);
    }
}
