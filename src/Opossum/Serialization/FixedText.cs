using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Opossum.Serialization;

/// <summary>
/// Reads texts of a fixed length as the store writes them, many characters at once: an id, a time and a checksum. Another form that means the
/// same, such as capital digits, is not read.
/// </summary>
internal static class FixedText
{
    /// <summary>The bytes of an id: <c>0198c0de-0000-7000-8000-00000000002a</c>.</summary>
    public const int IdLength = 36;

    /// <summary>The bytes of a time: <c>2026-11-21T10:15:30.1234567Z</c>.</summary>
    public const int TimeLength = 28;

    /// <summary>The bytes of a CRC: <c>70c71a95</c>.</summary>
    public const int CrcLength = 8;

    private const int SecondHalf = TimeLength - 16;

    // Zero where a digit belongs.
    private static ReadOnlySpan<byte> TimeSeparators => "\0\0\0\0-\0\0-\0\0T\0\0:\0\0:\0\0.\0\0\0\0\0\0\0Z"u8;

    /// <summary>Reads an id of at least <see cref="IdLength"/> bytes.</summary>
    public static bool TryReadId(ReadOnlySpan<byte> text, out Guid id)
    {
        id = default;
        text = text[..IdLength];
        if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-')
            return false;
        var first = Vector128.Create(Eight(text, 0), Four(text, 9) | (ulong)Four(text, 14) << 32).AsByte();
        var second = Vector128.Create(Four(text, 19) | (ulong)Four(text, 24) << 32, Eight(text, 28)).AsByte();
        if (!AreHexDigits(first) || !AreHexDigits(second))
            return false;
        Span<byte> bytes = stackalloc byte[16];
        Vector128.Narrow(Octets(first), Octets(second)).CopyTo(bytes);
        id = new Guid(bytes, bigEndian: true);
        return true;
    }

    /// <summary>Reads a CRC of <see cref="CrcLength"/> bytes.</summary>
    public static bool TryReadCrc(ReadOnlySpan<byte> text, out uint crc)
    {
        crc = 0;
        if (text.Length != CrcLength)
            return false;
        var digits = Vector128.Create(Eight(text, 0), Eight(text, 0)).AsByte();
        if (!AreHexDigits(digits))
            return false;
        crc = BinaryPrimitives.ReverseEndianness(Vector128.Narrow(Octets(digits), Octets(digits)).AsUInt32()[0]);
        return true;
    }

    /// <summary>Reads a time of at least <see cref="TimeLength"/> bytes, in UTC, as ticks since the year 1.</summary>
    public static bool TryReadTime(ReadOnlySpan<byte> text, out long ticks)
    {
        ticks = 0;
        text = text[..TimeLength];
        if (!IsTime(text, 0) || !IsTime(text, SecondHalf))
            return false;
        var (year, month, day) = (100 * Two(text, 0) + Two(text, 2), Two(text, 5), Two(text, 8));
        var (hour, minute, second) = (Two(text, 11), Two(text, 14), Two(text, 17));
        if (year < 1 || month is < 1 or > 12 || day < 1 || day > DateTime.DaysInMonth(year, month) || hour > 23 || minute > 59 || second > 59)
            return false;
        ticks = new DateTime(year, month, day).Ticks + (hour * 3600L + minute * 60 + second) * TimeSpan.TicksPerSecond + Seven(text);
        return true;
    }

    private static bool IsTime(ReadOnlySpan<byte> text, int start)
    {
        var expected = Vector128.LoadUnsafe(ref MemoryMarshal.GetReference(TimeSeparators), (nuint)start);
        var actual = Vector128.LoadUnsafe(ref MemoryMarshal.GetReference(text), (nuint)start);
        var areDigits = Vector128.LessThanOrEqual(actual - Vector128.Create((byte)'0'), Vector128.Create((byte)9));
        var areRight = Vector128.ConditionalSelect(Vector128.Equals(expected, Vector128<byte>.Zero), areDigits, Vector128.Equals(actual, expected));
        return areRight == Vector128<byte>.AllBitsSet;
    }

    private static int Two(ReadOnlySpan<byte> text, int at) => 10 * text[at] + text[at + 1] - 11 * '0';

    // The digits of a second's fraction, of which each two, then four, then eight become one number. The point before them counts as 0.
    private static long Seven(ReadOnlySpan<byte> text)
    {
        var digits = Eight(text, 19) & 0x0F0F0F0F0F0F0F00;
        digits = (10 * digits + (digits >> 8)) & 0x00FF00FF00FF00FF;
        digits = (100 * digits + (digits >> 16)) & 0x0000FFFF0000FFFF;
        return (long)((10_000 * digits + (digits >> 32)) & 0xFFFFFFFF);
    }

    private static bool AreHexDigits(Vector128<byte> text) =>
        (Vector128.LessThanOrEqual(text - Vector128.Create((byte)'0'), Vector128.Create((byte)9))
            | Vector128.LessThanOrEqual(text - Vector128.Create((byte)'a'), Vector128.Create((byte)5))) == Vector128<byte>.AllBitsSet;

    // Each two digits as an octet.
    private static Vector128<ushort> Octets(Vector128<byte> text)
    {
        var letters = Vector128.GreaterThan(text, Vector128.Create((byte)'9')) & Vector128.Create((byte)9);
        var digits = ((text & Vector128.Create((byte)0x0F)) + letters).AsUInt16();
        return (digits << 4 | digits >> 8) & Vector128.Create((ushort)0xFF);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Eight(ReadOnlySpan<byte> text, int at) => BinaryPrimitives.ReadUInt64LittleEndian(text[at..]);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Four(ReadOnlySpan<byte> text, int at) => BinaryPrimitives.ReadUInt32LittleEndian(text[at..]);
}
