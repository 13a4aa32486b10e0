using System.Buffers;
using System.Text;
using System.Text.Json;

namespace Opossum.Cli.Events;

/// <summary>JSON from outside, in bytes: what is not UTF-8 is refused instead of being replaced.</summary>
internal static class JsonBytes
{
    public const string NotUtf8 = "this is not UTF-8. Save it as UTF-8, or convert it, as with iconv -f latin1 -t utf-8.";

    /// <summary>The levels that the data of an event may have.</summary>
    public const int DataDepthMax = 64;

    /// <summary>The levels of a file with an event: its data lies one level deep, in the flat layout two.</summary>
    public const int FileDepthMax = DataDepthMax + 2;

    /// <summary>Refuses an object with two members of one name: only one of them would be stored.</summary>
    public static JsonDocumentOptions Options { get; } = new() { AllowDuplicateProperties = false };

    /// <summary>The index of the first byte that is not UTF-8; null when all are.</summary>
    public static int? FindBadByte(ReadOnlySpan<byte> bytes)
    {
        if (System.Text.Unicode.Utf8.IsValid(bytes))
            return null;
        var at = 0;
        while (Rune.DecodeFromUtf8(bytes[at..], out _, out var length) == OperationStatus.Done)
            at += length;
        return at;
    }

    /// <summary>Refuses half a surrogate pair, escaped, which is no character.</summary>
    /// <exception cref="InvalidOperationException">A name or a text has one.</exception>
    public static void ThrowIfHalfCharacter(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = FileDepthMax });
        while (reader.Read())
        {
            if (reader.ValueIsEscaped)
                _ = reader.GetString();
        }
    }

    public static byte[] WithoutByteOrderMark(byte[] bytes) => bytes.AsSpan().StartsWith("\uFEFF"u8) ? bytes[3..] : bytes;
}
