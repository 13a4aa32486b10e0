using System.Buffers;

namespace Opossum.Serialization;

/// <summary>
/// The canonical text of a JSON file: its tokens unchanged, byte for byte, on one line, without the white space between them and without a
/// byte order mark. File checksums cover this text, so the layout of a file does not affect them.
/// </summary>
/// <remarks>Defined for any bytes, because damaged files are read too: an unterminated string extends to the end of the text.</remarks>
internal static class CanonicalText
{
    private static ReadOnlySpan<byte> ByteOrderMark => "\uFEFF"u8;

    /// <summary>The canonical text of a whole file, or of a part that starts and ends outside strings.</summary>
    public static byte[] Of(ReadOnlySpan<byte> json)
    {
        var text = new ArrayBufferWriter<byte>(Math.Max(json.Length, 1));
        json = WithoutByteOrderMark(json);
        for (var at = 0; TryFindRun(json, ref at, out var start);)
            text.Write(json[start..at]);
        return text.WrittenSpan.ToArray();
    }

    /// <summary>The CRC-32C of the result of <see cref="Of"/>.</summary>
    public static uint Checksum(ReadOnlySpan<byte> json) => Crc32C.End(AddTo(Crc32C.Begin, WithoutByteOrderMark(json)));

    /// <summary>Extends a CRC-32C with the canonical text of another part.</summary>
    public static uint AddTo(uint crc, ReadOnlySpan<byte> json)
    {
        for (var at = 0; TryFindRun(json, ref at, out var start);)
            crc = Crc32C.Add(crc, json[start..at]);
        return crc;
    }

    /// <summary>The text without the byte order mark that some editors add.</summary>
    public static ReadOnlySpan<byte> WithoutByteOrderMark(ReadOnlySpan<byte> text) =>
        text.StartsWith(ByteOrderMark) ? text[ByteOrderMark.Length..] : text;

    // The next run of bytes without white space outside strings: from the start to the place. False: none is left.
    private static bool TryFindRun(ReadOnlySpan<byte> json, ref int at, out int start)
    {
        while (at < json.Length && IsWhiteSpace(json[at]))
            at++;
        start = at;
        while (at < json.Length)
        {
            if (json[at] == '"')
                at = FindStringEnd(json, at);
            else if (IsWhiteSpace(json[at]))
                break;
            else
                at++;
        }
        return start < at;
    }

    /// <summary>Where a string ends, after its quote.</summary>
    /// <param name="start">The place of the quote that begins it.</param>
    public static int FindStringEnd(ReadOnlySpan<byte> json, int start)
    {
        for (var at = start + 1; at < json.Length; at += 2)
        {
            var next = json[at..].IndexOfAny((byte)'"', (byte)'\\');
            if (next < 0)
                break;
            at += next;
            if (json[at] == '"')
                return at + 1;
        }
        return json.Length;
    }

    /// <summary>Whether a text has nothing but white space.</summary>
    public static bool IsBlank(ReadOnlySpan<byte> text)
    {
        foreach (var octet in text)
        {
            if (!IsWhiteSpace(octet))
                return false;
        }
        return true;
    }

    private static bool IsWhiteSpace(byte octet) => octet <= ' ' && octet is (byte)' ' or (byte)'\n' or (byte)'\r' or (byte)'\t';
}
