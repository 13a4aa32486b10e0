using System.Buffers;
using System.Buffers.Text;
using System.Globalization;

namespace Opossum.Serialization;

/// <summary>The end of each of the store's JSON files: a member with the CRC-32C of the <see cref="CanonicalText"/> before it.</summary>
internal static class ChecksumTrailer
{
    private const int Digits = 8;

    private static ReadOnlySpan<byte> Name => ",\n  \"checksum\": \""u8;

    private static ReadOnlySpan<byte> Kind => "crc32c:"u8;

    private static ReadOnlySpan<byte> End => "\"\n}\n"u8;

    private static ReadOnlySpan<byte> WhiteSpace => " \t\r\n"u8;

    /// <summary>Ends the file that starts at a place in the buffer.</summary>
    public static void Append(ArrayBufferWriter<byte> buffer, int start) => Append(buffer, CanonicalText.Checksum(buffer.WrittenSpan[start..]));

    /// <summary>Ends a file whose checksum is known.</summary>
    public static void Append(ArrayBufferWriter<byte> buffer, uint checksum)
    {
        buffer.Write(Name);
        Format(checksum, buffer.GetSpan(Kind.Length + Digits));
        buffer.Advance(Kind.Length + Digits);
        buffer.Write(End);
    }

    /// <summary>Where the checksum's member starts in a whole canonical text.</summary>
    public static int CanonicalStart(ReadOnlySpan<byte> canonical) => canonical.Length - ",\"checksum\":\"\"}"u8.Length - Kind.Length - Digits;

    /// <summary>The checksum at the end of the file, not verified; null when the file does not end with one.</summary>
    public static uint? Stated(ReadOnlySpan<byte> file) => TryCutOff(ref file, out var stated) ? stated : null;

    /// <summary>
    /// Parses the text between the quotes of the checksum's value. False: it is not a checksum, or not in the form that a store writes.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<byte> value, out uint checksum)
    {
        Span<byte> written = stackalloc byte[Kind.Length + Digits];
        checksum = 0;
        if (value.Length != written.Length || !Utf8Parser.TryParse(value[Kind.Length..], out checksum, out _, 'x'))
            return false;
        Format(checksum, written);
        return value.SequenceEqual(written);
    }

    /// <summary>What is wrong with a file, as the end of a sentence that starts with the file; null when its checksum matches.</summary>
    public static string? Judge(ReadOnlySpan<byte> file)
    {
        if (file.Length == 0)
            return "is empty";
        if (!TryCutOff(ref file, out var stated))
            return "does not end with a checksum: it is cut off, overwritten or edited";
        var actual = CanonicalText.Checksum(file);
        return stated == actual
            ? null
            : string.Create(CultureInfo.InvariantCulture,
            $"does not match its checksum (it states {stated:x8}, its text has {actual:x8}): it is damaged or edited");
    }

    // Cuts a file off before the comma of its checksum, whatever the white space there.
    private static bool TryCutOff(ref ReadOnlySpan<byte> file, out uint stated)
    {
        stated = 0;
        return TryCutOff(ref file, "}"u8)
            && TryCutOffValue(ref file, out stated)
            && TryCutOff(ref file, ":"u8)
            && TryCutOff(ref file, "\"checksum\""u8)
            && TryCutOff(ref file, ","u8);
    }

    private static bool TryCutOffValue(ref ReadOnlySpan<byte> file, out uint stated)
    {
        stated = 0;
        var length = Kind.Length + Digits;
        if (!TryCutOff(ref file, "\""u8) || file.Length <= length || file[^(length + 1)] != '"' || !TryParse(file[^length..], out stated))
            return false;
        file = file[..^(length + 1)];
        return true;
    }

    private static bool TryCutOff(ref ReadOnlySpan<byte> file, scoped ReadOnlySpan<byte> token)
    {
        var end = file.TrimEnd(WhiteSpace);
        if (!end.EndsWith(token))
            return false;
        file = end[..^token.Length];
        return true;
    }

    private static void Format(uint checksum, Span<byte> value)
    {
        Kind.CopyTo(value);
        Utf8Formatter.TryFormat(checksum, value[Kind.Length..], out _, new StandardFormat('x', Digits));
    }
}
