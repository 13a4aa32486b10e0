using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// Reads varints (LEB128: seven bits a byte, lowest first, the high bit set on all except the last) and runs of bytes, from a place on.
/// </summary>
internal ref struct VarintReader(ReadOnlySpan<byte> bytes, int place)
{
    private readonly ReadOnlySpan<byte> bytes = bytes;
    private int place = place;

    public readonly int Place => place;

    public readonly int Remaining => bytes.Length - place;

    /// <summary>Reads a number from 0 to int.MaxValue; false when the bytes end, or it is larger.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryRead(out int number)
    {
        if ((uint)place < (uint)bytes.Length && bytes[place] < 0x80)
        {
            number = bytes[place++];
            return true;
        }
        return TryReadLong(out number);
    }

    /// <summary>Skips bytes; false when there are too few.</summary>
    public bool TrySkip(int count)
    {
        if (count > Remaining)
            return false;
        place += count;
        return true;
    }

    [MethodImpl(FirstCall.Optimized)]
    private bool TryReadLong(out int number)
    {
        ulong value = 0;
        for (var shift = 0; shift < 35 && place < bytes.Length; shift += 7)
        {
            var octet = bytes[place++];
            value |= (ulong)(octet & 0x7F) << shift;
            if (octet < 0x80)
            {
                number = (int)value;
                return value <= int.MaxValue;
            }
        }
        number = 0;
        return false;
    }
}
