using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>
/// Escapes what JSON requires, and U+007F, U+2028 and U+2029, which text editors handle badly; all other text, including emoji, stays
/// readable. Refuses text that is not valid Unicode, where the framework's encoders write U+FFFD instead.
/// </summary>
internal sealed class ReadableJsonEncoder : JavaScriptEncoder
{
    public static readonly ReadableJsonEncoder Instance = new();

    /// <summary>How the small files of a store, which people read too, are written.</summary>
    public static readonly JsonWriterOptions InFiles = new() { Encoder = Instance, Indented = true, NewLine = "\n" };

    /// <summary>
    /// How the JSON of events is written: a normalizing pass checks the depth, and the encoder refuses half surrogate pairs in typed data.
    /// </summary>
    public static readonly JsonWriterOptions InEvents = new() { Encoder = Instance, SkipValidation = true };

    // Printable ASCII, except the quotation mark and the backslash.
    private static readonly SearchValues<char> plainChars =
        SearchValues.Create(" !#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~");
    private static readonly SearchValues<byte> plainBytes =
        SearchValues.Create(" !#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"u8);

    public override int MaxOutputCharactersPerInputCharacter => 6;

    /// <summary>Writes a text's characters in the form they have between a JSON string's quotes; returns the number of bytes.</summary>
    /// <param name="output">A span that is long enough.</param>
    public static int Write(string text, Span<byte> output)
    {
        if (text.AsSpan().ContainsAnyExcept(plainChars))
            return Encoding.UTF8.GetBytes(Instance.Encode(text), output);
        Ascii.FromUtf16(text, output, out var written);
        return written;
    }

    public override bool WillEncode(int unicodeScalar) => unicodeScalar is < ' ' or '"' or '\\' or 0x7F or 0x2028 or 0x2029;

    public override unsafe int FindFirstCharacterToEncode(char* text, int textLength)
    {
        var chars = new ReadOnlySpan<char>(text, textLength);
        for (var at = 0; ; at++)
        {
            var next = chars[at..].IndexOfAnyExcept(plainChars);
            if (next < 0)
                return -1;
            at += next;
            if (char.IsHighSurrogate(chars[at]) && at + 1 < chars.Length && char.IsLowSurrogate(chars[at + 1]))
                at++;
            else if (char.IsSurrogate(chars[at]) || WillEncode(chars[at]))
                return at;
        }
    }

    public override int FindFirstCharacterToEncodeUtf8(ReadOnlySpan<byte> utf8Text)
    {
        for (var at = 0; ; at++)
        {
            var next = utf8Text[at..].IndexOfAnyExcept(plainBytes);
            if (next < 0)
                return -1;
            at += next;
            if (utf8Text[at] <= 0x7F || IsLineOrParagraphSeparator(utf8Text[at..]))
                return at;
        }
    }

    public override OperationStatus EncodeUtf8(ReadOnlySpan<byte> utf8Source, Span<byte> utf8Destination, out int bytesConsumed, out int bytesWritten,
        bool isFinalBlock = true)
    {
        bytesConsumed = 0;
        bytesWritten = 0;
        // A separate buffer: the framework cuts the source to the destination's length, in the middle of a character.
        Span<byte> escape = stackalloc byte[MaxOutputCharactersPerInputCharacter];
        while (true)
        {
            // The plain part is copied as a whole; only characters that must be escaped take the framework's way, one by one.
            var rest = utf8Source[bytesConsumed..];
            var plain = FindFirstCharacterToEncodeUtf8(rest);
            if (plain < 0)
                plain = rest.Length;
            if (plain > utf8Destination.Length - bytesWritten)
                return OperationStatus.DestinationTooSmall;
            rest[..plain].CopyTo(utf8Destination[bytesWritten..]);
            bytesConsumed += plain;
            bytesWritten += plain;
            if (bytesConsumed == utf8Source.Length)
                return OperationStatus.Done;

            var length = utf8Source[bytesConsumed] <= 0x7F ? 1 : 3;
            base.EncodeUtf8(utf8Source.Slice(bytesConsumed, length), escape, out _, out var written);
            if (written > utf8Destination.Length - bytesWritten)
                return OperationStatus.DestinationTooSmall;
            escape[..written].CopyTo(utf8Destination[bytesWritten..]);
            bytesConsumed += length;
            bytesWritten += written;
        }
    }

    public override unsafe bool TryEncodeUnicodeScalar(int unicodeScalar, char* buffer, int bufferLength, out int numberOfCharactersWritten)
    {
        // U+FFFD itself is never escaped: the framework requests it only as a replacement for invalid Unicode.
        if (unicodeScalar == Rune.ReplacementChar.Value)
            ThrowNotUnicode();
        var destination = new Span<char>(buffer, bufferLength);
        var letter = unicodeScalar switch { '"' => '"', '\\' => '\\', '\b' => 'b', '\f' => 'f', '\n' => 'n', '\r' => 'r', '\t' => 't', _ => '\0' };
        return letter != '\0'
            ? destination.TryWrite(CultureInfo.InvariantCulture, $"\\{letter}", out numberOfCharactersWritten)
            : destination.TryWrite(CultureInfo.InvariantCulture, $"\\u{unicodeScalar:X4}", out numberOfCharactersWritten);
    }

    // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
    private static bool IsLineOrParagraphSeparator(ReadOnlySpan<byte> utf8) => utf8 is [0xE2, 0x80, 0xA8 or 0xA9, ..];

    [DoesNotReturn]
    private static void ThrowNotUnicode() =>
        throw new ArgumentException("A text is not valid Unicode: it contains half a surrogate pair, or bytes that are not UTF-8.");
}
