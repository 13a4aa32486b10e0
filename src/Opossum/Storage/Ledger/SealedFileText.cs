using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;
using Opossum.Serialization;
using static Opossum.Storage.Log.EventLine;

namespace Opossum.Storage.Ledger;

/// <summary>The text of a sealed file: the canonical texts of a folder's events, a line each, and a closing line.</summary>
/// <remarks>
/// The closing line states the first and the last position, the bytes of the event lines, where groups of lines begin, and a checksum of
/// everything before it.
/// </remarks>
internal static class SealedFileText
{
    /// <summary>The closing line of a file that is written states where each line begins whose number is a multiple of this.</summary>
    public const int LinesInBlock = 4;

    /// <summary>The most bytes that a closing line has.</summary>
    public const int ClosingLengthMax = 32 * 1024;

    private static ReadOnlySpan<byte> ClosingStart => "{\"sealed\":{\"first\":"u8;

    private static ReadOnlySpan<byte> EventStart => "{\"position\":"u8;

    private static ReadOnlySpan<byte> ChecksumMember => ",\"checksum\":\""u8;

    /// <summary>Returns the closing line with its line feed.</summary>
    /// <param name="crc">The CRC, not ended, of all lines.</param>
    public static byte[] Close(SealedClosing closing, uint crc)
    {
        var text = new ArrayBufferWriter<byte>(ClosingLengthMax);
        text.Write(ClosingStart);
        text.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture,
            $"{closing.First},\"last\":{closing.Last},\"bytes\":{closing.Bytes},\"every\":{closing.Every},\"at\":[")));
        text.Write(Encoding.ASCII.GetBytes(string.Join(',', closing.Starts)));
        text.Write("]}"u8);
        var checksum = Crc32C.End(Crc32C.Add(crc, text.WrittenSpan));
        text.Write(ChecksumMember);
        text.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{checksum:x8}\"}}\n")));
        return text.WrittenSpan.ToArray();
    }

    /// <summary>Reads a closing line, with its line feed, as far as it can be judged by itself; null when it is none.</summary>
    public static SealedClosing? ReadClosing(ReadOnlySpan<byte> line)
    {
        var rest = line;
        if (!TryTake(ref rest, ClosingStart) || !TryTakeNumber(ref rest, out var first) || !TryTake(ref rest, ",\"last\":"u8)
            || !TryTakeNumber(ref rest, out var last) || !TryTake(ref rest, ",\"bytes\":"u8) || !TryTakeNumber(ref rest, out var bytes)
            || !TryTake(ref rest, ",\"every\":"u8) || !TryTakeNumber(ref rest, out var every) || !TryTake(ref rest, ",\"at\":["u8)
            || first < 1 || last < first || last > StoreLayout.PositionMax || bytes is < 1 or > int.MaxValue || every is < 1 or > int.MaxValue
            || (last - first) / every >= ClosingLengthMax)
        {
            return null;
        }
        var starts = new int[(last - first) / every + 1];
        for (var at = 0; at < starts.Length; at++)
        {
            if ((at > 0 && !TryTake(ref rest, ","u8)) || !TryTakeNumber(ref rest, out var start) || start >= bytes
                || (at == 0 ? start != 0 : start <= starts[at - 1]))
            {
                return null;
            }
            starts[at] = (int)start;
        }
        if (!TryTake(ref rest, "]}"u8))
            return null;
        var covered = line.Length - rest.Length;
        return TryTake(ref rest, ChecksumMember) && rest.Length == 11 && Utf8Parser.TryParse(rest[..8], out uint checksum, out var length, 'x')
            && length == 8 && !rest[..8].ContainsAnyInRange((byte)'A', (byte)'F') && rest[8..].SequenceEqual("\"}\n"u8)
            ? new SealedClosing(first, last, (int)bytes, (int)every, starts) { Covered = covered, Checksum = checksum }
            : null;
    }

    /// <summary>The position with which a line says that it begins; 0 when it does not.</summary>
    public static long PositionOf(ReadOnlySpan<byte> line)
    {
        line = CanonicalText.WithoutByteOrderMark(line);
        return TryTake(ref line, EventStart) && TryTakeNumber(ref line, out var position) && line is [(byte)',', ..] ? position : 0;
    }

    public static bool IsClosing(ReadOnlySpan<byte> line) => line.StartsWith(ClosingStart);
}
