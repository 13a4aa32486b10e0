using System.Buffers;
using System.Text.Json;
using System.Text.Unicode;

namespace Opossum.Serialization;

/// <summary>JSON as bytes: compact in memory and in lines, indented in an event file.</summary>
internal static class JsonText
{
    /// <summary>The deepest nesting of an event's data.</summary>
    public const int DepthMax = 64;

    /// <summary>Whether bytes are a JSON object whose values are texts, as metadata are.</summary>
    public static bool IsOfTexts(ReadOnlySpan<byte> bytes)
    {
        var reader = new Utf8JsonReader(bytes);
        try
        {
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
                return false;
            while (reader.Read() && reader.TokenType is JsonTokenType.PropertyName or JsonTokenType.String)
            {
                if (reader.ValueIsEscaped)
                    _ = reader.GetString();
                else if (!Utf8.IsValid(reader.ValueSpan))
                    return false;
            }
            return reader.TokenType == JsonTokenType.EndObject && !reader.Read();
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return false;
        }
    }

    /// <summary>Writes compact, valid JSON with a line for each member and element and two spaces a level.</summary>
    /// <param name="depth">The level of the value: 1 for a member of a file's outermost object.</param>
    public static void WriteIndented(ReadOnlySpan<byte> compactJson, IBufferWriter<byte> output, int depth)
    {
        var writer = new SpanWriter(output, compactJson.Length * 2);
        for (var at = 0; at < compactJson.Length;)
        {
            var rest = compactJson[at..];
            switch (rest[0])
            {
                case (byte)'"':
                    var text = rest[..CanonicalText.FindStringEnd(rest, 0)];
                    writer.Write(text);
                    at += text.Length;
                    break;
                case (byte)'{' or (byte)'[' when rest[1] is (byte)'}' or (byte)']':
                    writer.Write(rest[..2]);
                    at += 2;
                    break;
                case (byte)'{' or (byte)'[':
                    writer.Write(rest[0]);
                    writer.WriteNewLine(++depth);
                    at++;
                    break;
                case (byte)'}' or (byte)']':
                    writer.WriteNewLine(--depth);
                    writer.Write(rest[0]);
                    at++;
                    break;
                case (byte)',':
                    writer.Write(rest[0]);
                    writer.WriteNewLine(depth);
                    at++;
                    break;
                case (byte)':':
                    writer.Write(": "u8);
                    at++;
                    break;
                default:
                    writer.Write(rest[0]);
                    at++;
                    break;
            }
        }
        writer.Flush();
    }

    /// <summary>Writes compact, valid JSON on one line, with a space after each comma and colon and within braces.</summary>
    public static void WriteOnOneLine(ReadOnlySpan<byte> compactJson, IBufferWriter<byte> output)
    {
        var writer = new SpanWriter(output, compactJson.Length * 2);
        for (var at = 0; at < compactJson.Length; at++)
        {
            var octet = compactJson[at];
            if (octet == '"')
            {
                var end = CanonicalText.FindStringEnd(compactJson, at);
                writer.Write(compactJson[at..end]);
                at = end - 1;
                continue;
            }
            if (octet == '}')
                writer.Write((byte)' ');
            writer.Write(octet);
            if (octet is (byte)',' or (byte)':' or (byte)'{')
                writer.Write((byte)' ');
        }
        writer.Flush();
    }

    /// <summary>The number of bytes that <see cref="WriteIndented"/> writes for the same value.</summary>
    public static long IndentedLength(ReadOnlySpan<byte> compactJson, int depth)
    {
        long length = compactJson.Length;
        for (var at = 0; at < compactJson.Length; at++)
        {
            switch (compactJson[at])
            {
                case (byte)'"':
                    at = CanonicalText.FindStringEnd(compactJson, at) - 1;
                    break;
                case (byte)'{' or (byte)'[' when compactJson[at + 1] is (byte)'}' or (byte)']':
                    at++;
                    break;
                case (byte)'{' or (byte)'[':
                    length += NewLineLength(++depth);
                    break;
                case (byte)'}' or (byte)']':
                    length += NewLineLength(--depth);
                    break;
                case (byte)',':
                    length += NewLineLength(depth);
                    break;
                case (byte)':':
                    length++;
                    break;
            }
        }
        return length;
    }

    /// <summary>
    /// Validates JSON of unknown origin strictly and returns its one compact form: exactly one value, valid Unicode, no member twice in an
    /// object, no comments, at most <see cref="DepthMax"/> levels; numbers keep their text, strings are escaped as little as possible.
    /// </summary>
    /// <exception cref="System.Text.Json.JsonException">The JSON is not valid; the message says what is wrong and where.</exception>
    public static byte[] Normalize(ReadOnlySpan<byte> json) => TryNormalize(json, int.MaxValue)!;

    /// <summary>The same, and reports whether the compact form is also its <see cref="CanonicalText"/>: no string was escaped differently.</summary>
    /// <exception cref="System.Text.Json.JsonException">The JSON is not valid.</exception>
    public static byte[] Normalize(ReadOnlySpan<byte> json, out bool isCanonical) => TryNormalize(json, int.MaxValue, out isCanonical)!;

    /// <summary>The same with a limit: null as soon as the compact form is longer than the limit. The rest is then not validated.</summary>
    /// <exception cref="System.Text.Json.JsonException">The JSON is not valid.</exception>
    public static byte[]? TryNormalize(ReadOnlySpan<byte> json, int lengthMax) => TryNormalize(json, lengthMax, out _);

    private static byte[]? TryNormalize(ReadOnlySpan<byte> json, int lengthMax, out bool isCanonical)
    {
        var normalizer =
            new JsonNormalizer(json, lengthMax, stackalloc JsonNormalizer.Member[JsonNormalizer.MembersAtFirst], stackalloc int[DepthMax]);
        try
        {
            var compact = normalizer.Run();
            isCanonical = normalizer.IsCanonical;
            return compact;
        }
        finally
        {
            normalizer.Dispose();
        }
    }

    private static int NewLineLength(int depth) => 1 + (2 * depth);

    /// <summary>Fills the spans of a buffer writer, asking for more only when one is full.</summary>
    private ref struct SpanWriter(IBufferWriter<byte> output, int sizeHint)
    {
        private Span<byte> span = output.GetSpan(sizeHint);
        private int used;

        public void Write(byte value)
        {
            Reserve(1);
            span[used++] = value;
        }

        public void Write(scoped ReadOnlySpan<byte> value)
        {
            Reserve(value.Length);
            value.CopyTo(span[used..]);
            used += value.Length;
        }

        public void WriteNewLine(int depth)
        {
            var length = NewLineLength(depth);
            Reserve(length);
            span[used] = (byte)'\n';
            span.Slice(used + 1, length - 1).Fill((byte)' ');
            used += length;
        }

        public void Flush()
        {
            output.Advance(used);
            used = 0;
        }

        private void Reserve(int length)
        {
            if (length <= span.Length - used)
                return;
            Flush();
            span = output.GetSpan(Math.Max(length, 256));
        }
    }
}
