using System.Buffers;
using System.Text;
using Opossum.Serialization;

namespace Opossum.Tests.Hostile;

/// <summary>Event files by somebody who knows the format: whatever they hold, their checksum fits.</summary>
internal static class Forgery
{
    public const string Id = "0199e0c1-0000-7000-8000-00000000002a";

    /// <summary>The file of position 1 with one part replaced.</summary>
    public static byte[] Of(string part, string replacement) => Of(Encoding.UTF8.GetBytes(Text(part, replacement)));

    /// <summary>The text of position 1 with one part replaced, without the checksum.</summary>
    public static string Text(string part, string replacement)
    {
        var good = $$$"""
            {
              "position": 1,
              "type": "t",
              "tags": ["k:1"],
              "timestamp": "2026-11-21T10:15:30.1234567Z",
              "id": "{{{Id}}}",
              "commit": { "first": 1, "last": 1, "after": 0 },
              "data": {}
            """.ReplaceLineEndings("\n");
        Assert.Contains(part, good, StringComparison.Ordinal);
        return good.Replace(part, replacement, StringComparison.Ordinal);
    }

    /// <summary>A text, closed by the checksum that fits it.</summary>
    public static byte[] Of(ReadOnlySpan<byte> text)
    {
        var buffer = new ArrayBufferWriter<byte>(text.Length + 64);
        buffer.Write(text);
        ChecksumTrailer.Append(buffer, 0);
        return buffer.WrittenSpan.ToArray();
    }
}
