using System.Buffers.Binary;
using System.Numerics;
using System.Text;

namespace Opossum.Storage.Log;

/// <summary>Strings that were read from UTF-8 texts lately, so that events with equal names share them. Its size does not grow.</summary>
/// <param name="slots">The most strings that it keeps, a power of two.</param>
internal sealed class StringCache(int slots)
{
    // Longer texts are read each time, so that the memory is bounded too.
    private const int LengthMax = 64;

    private readonly int shift = 64 - BitOperations.Log2((uint)slots);
    private readonly string?[] strings = new string?[slots];

    public string Get(ReadOnlySpan<byte> text)
    {
        if (text.Length is 0 or > LengthMax)
            return Encoding.UTF8.GetString(text);
        ref var slot = ref strings[Hash(text) >> shift];
        var known = Volatile.Read(ref slot);
        if (known is not null && Ascii.Equals(text, known))
            return known;
        var read = Encoding.UTF8.GetString(text);
        Volatile.Write(ref slot, read);
        return read;
    }

    // Names that follow each other differ at their ends. A collision costs a string, no more.
    private static ulong Hash(ReadOnlySpan<byte> text)
    {
        var (first, last) = text.Length >= sizeof(ulong)
            ? (BinaryPrimitives.ReadUInt64LittleEndian(text), BinaryPrimitives.ReadUInt64LittleEndian(text[^sizeof(ulong)..]))
            : (Short(text), (ulong)text.Length);
        // The highest bits depend on all others.
        return (first ^ (last * 0x9E3779B97F4A7C15)) * 0xBF58476D1CE4E5B9;
    }

    private static ulong Short(ReadOnlySpan<byte> text)
    {
        var number = 0UL;
        foreach (var octet in text)
            number = number << 8 | octet;
        return number;
    }
}
