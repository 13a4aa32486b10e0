using System.Buffers;
using System.Buffers.Text;
using System.Globalization;

namespace Opossum.Serialization;

/// <summary>How each of the store's JSON files ends: with a member that holds the CRC-32C of all bytes before it.</summary>
internal static class ChecksumTrailer
{
    private const int Digits = 8;

    private static ReadOnlySpan<byte> Before => ",\n  \"checksum\": \"crc32c:"u8;

    private static ReadOnlySpan<byte> Behind => "\"\n}\n"u8;

    private static ReadOnlySpan<byte> Value => "\"crc32c:"u8;

    private static ReadOnlySpan<byte> WhiteSpace => " \t\r\n"u8;

    public static int Length => Before.Length + Digits + Behind.Length;

    /// <summary>Ends the file that begins at a place of the buffer; returns its checksum.</summary>
    public static uint Append(ArrayBufferWriter<byte> buffer, int start)
    {
        var checksum = Crc32C.Of(buffer.WrittenSpan[start..]);
        buffer.Write(Before);
        Utf8Formatter.TryFormat(checksum, buffer.GetSpan(Digits), out _, new StandardFormat('x', Digits));
        buffer.Advance(Digits);
        buffer.Write(Behind);
        return checksum;
    }

    /// <summary>The checksum that the file's last bytes state, without judging the file; null when they are not a checksum.</summary>
    public static uint? Stated(ReadOnlySpan<byte> file)
    {
        if (file.Length < Length)
            return null;
        var trailer = file[^Length..];
        if (!trailer.StartsWith(Before) || !trailer.EndsWith(Behind))
            return null;
        var digits = trailer.Slice(Before.Length, Digits);
        return Utf8Parser.TryParse(digits, out uint checksum, out var consumed, 'x') && consumed == Digits ? checksum : null;
    }

    /// <summary>Whether the file ends with a checksum, however white space stands in it.</summary>
    public static bool IsAtEnd(ReadOnlySpan<byte> file)
    {
        var end = file.TrimEnd(WhiteSpace);
        if (end is not [.., (byte)'}'])
            return false;
        end = end[..^1].TrimEnd(WhiteSpace);
        return end is [.., (byte)'"'] && end.Length > Value.Length + Digits && end[^(Value.Length + Digits + 1)..].StartsWith(Value);
    }

    /// <summary>What is wrong with a file, as the end of a sentence that begins with the file; null when its checksum fits.</summary>
    public static string? Judge(ReadOnlySpan<byte> file)
    {
        if (file.Length == 0)
            return "is empty";
        if (Stated(file) is not { } stated)
            return "does not end with a checksum: it is cut off, overwritten or edited";
        var actual = Crc32C.Of(file[..^Length]);
        return stated == actual ? null : string.Create(CultureInfo.InvariantCulture, $"does not match its checksum (it states {stated:x8}, its bytes give {actual:x8}): it is damaged or edited");
    }
}
