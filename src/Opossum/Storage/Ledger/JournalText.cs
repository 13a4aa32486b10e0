using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;
using Opossum.Serialization;

namespace Opossum.Storage.Ledger;

/// <summary>
/// The text of a journal file: a header, then groups, each of its events' canonical texts, a line each, and a closing line; then line feeds.
/// </summary>
/// <remarks>
/// The header states the store and the use. A file is used again once its events have files, and each use has its own random id. The closing
/// line states the group's positions and bytes, the use, the checksum of the closing line or header before it, and a checksum of the group: what
/// an earlier use has left never passes for a group of this one.
/// </remarks>
internal static class JournalText
{
    /// <summary>Fills the rest of a file: white space to every reader of JSON.</summary>
    public const byte Blank = (byte)'\n';

    /// <summary>The length of a header in bytes.</summary>
    public static readonly int HeaderLength = Header(Guid.Empty, Guid.Empty).Length;

    /// <summary>The most bytes that a closing line has.</summary>
    public const int ClosingLengthMax = 256;

    /// <summary>More bytes than any group has: its JSON, and the names, tags and metadata of its events.</summary>
    public const int GroupLengthMax = 512 * 1024 * 1024;

    private const int UseLength = 32;

    private static ReadOnlySpan<byte> HeaderStart => "{\"journal\":1,\"store\":\""u8;

    private static ReadOnlySpan<byte> ClosingStart => "{\"group\":{\"first\":"u8;

    private static ReadOnlySpan<byte> EventStart => "{\"position\":"u8;

    private static ReadOnlySpan<byte> ChecksumMember => ",\"checksum\":"u8;

    /// <summary>Returns a header with its line feed.</summary>
    public static byte[] Header(Guid store, Guid use) =>
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{{\"journal\":1,\"store\":\"{store:D}\",\"use\":\"{use:N}\"}}\n"));

    /// <summary>Reads a header with its line feed; false when it is none.</summary>
    public static bool TryReadHeader(ReadOnlySpan<byte> bytes, out Guid store, out Guid use)
    {
        (store, use) = (Guid.Empty, Guid.Empty);
        return bytes.Length >= HeaderLength
            && bytes.StartsWith(HeaderStart)
            && Utf8Parser.TryParse(bytes[HeaderStart.Length..], out store, out _, 'D')
            && Guid.TryParseExact(Encoding.ASCII.GetString(bytes.Slice(HeaderLength - UseLength - 3, UseLength)), "N", out use)
            && bytes[..HeaderLength].SequenceEqual(Header(store, use));
    }

    /// <summary>Whether a text begins as a header does.</summary>
    public static bool IsHeader(ReadOnlySpan<byte> text) => text.StartsWith(HeaderStart);

    /// <summary>Whether a line begins as an event's does.</summary>
    public static bool IsEvent(ReadOnlySpan<byte> line) => line.StartsWith(EventStart);

    /// <summary>Whether a line begins as a closing line does.</summary>
    public static bool IsClosing(ReadOnlySpan<byte> line) => line.StartsWith(ClosingStart);

    /// <summary>Ends a group: appends its closing line, whose checksum covers the group's lines and what the closing line states.</summary>
    /// <param name="buffer">What it appends to; it ends with the group's lines.</param>
    /// <param name="closing">What it states.</param>
    /// <returns>The checksum.</returns>
    public static uint Close(ArrayBufferWriter<byte> buffer, in JournalClosing closing)
    {
        var start = buffer.WrittenCount - closing.Bytes;
        buffer.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture,
            $"{{\"group\":{{\"first\":{closing.First},\"last\":{closing.Last},\"bytes\":{closing.Bytes},\"use\":\"{closing.Use:N}\",")
            + string.Create(CultureInfo.InvariantCulture, $"\"previous\":\"{closing.Previous:x8}\"}}")));
        var checksum = Crc32C.Of(buffer.WrittenSpan[start..]);
        buffer.Write(ChecksumMember);
        buffer.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"\"{checksum:x8}\"}}\n")));
        return checksum;
    }

    /// <summary>Reads a closing line, without its line feed, and verifies the group's checksum.</summary>
    /// <param name="text">The text up to the end of the line.</param>
    /// <param name="lineStart">Where the line begins in it.</param>
    /// <param name="closing">What it states.</param>
    /// <param name="checksum">Its checksum.</param>
    /// <returns>False: it is no closing line, or the group is not the one that it closes.</returns>
    public static bool TryReadClosing(ReadOnlySpan<byte> text, int lineStart, out JournalClosing closing, out uint checksum)
    {
        (closing, checksum) = (default, 0);
        var line = text[lineStart..];
        if (line.Length > ClosingLengthMax || !IsClosing(line))
            return false;
        var rest = line[ClosingStart.Length..];
        if (!TryTakeNumber(ref rest, out var first) || !TryTake(ref rest, ",\"last\":"u8) || !TryTakeNumber(ref rest, out var last)
            || !TryTake(ref rest, ",\"bytes\":"u8) || !TryTakeNumber(ref rest, out var bytes) || !TryTake(ref rest, ",\"use\":\""u8)
            || rest.Length < UseLength || !Guid.TryParseExact(Encoding.ASCII.GetString(rest[..UseLength]), "N", out var use))
        {
            return false;
        }
        rest = rest[UseLength..];
        if (!TryTake(ref rest, "\",\"previous\":\""u8) || !TryTakeChecksum(ref rest, out var previous) || !TryTake(ref rest, "\"}"u8))
            return false;
        var covered = line.Length - rest.Length;
        if (!TryTake(ref rest, ChecksumMember) || !TryTake(ref rest, "\""u8) || !TryTakeChecksum(ref rest, out checksum)
            || !rest.SequenceEqual("\"}"u8))
        {
            return false;
        }
        if (first < 1 || last < first || last > StoreLayout.PositionMax || bytes < 1 || bytes > lineStart)
            return false;
        closing = new JournalClosing(first, last, (int)bytes, use, previous);
        return Crc32C.Of(text[(lineStart - (int)bytes)..(lineStart + covered)]) == checksum;
    }

    private static bool TryTake(ref ReadOnlySpan<byte> text, ReadOnlySpan<byte> expected)
    {
        if (!text.StartsWith(expected))
            return false;
        text = text[expected.Length..];
        return true;
    }

    private static bool TryTakeNumber(ref ReadOnlySpan<byte> text, out long number)
    {
        if (!Utf8Parser.TryParse(text, out number, out var length))
            return false;
        text = text[length..];
        return true;
    }

    private static bool TryTakeChecksum(ref ReadOnlySpan<byte> text, out uint checksum)
    {
        checksum = 0;
        if (text.Length < 8 || !Utf8Parser.TryParse(text[..8], out checksum, out var length, 'x') || length != 8)
            return false;
        text = text[8..];
        return true;
    }
}
