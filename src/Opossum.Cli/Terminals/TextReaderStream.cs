using System.Text;

namespace Opossum.Cli.Terminals;

/// <summary>Reads the text of a reader as UTF-8.</summary>
internal sealed class TextReaderStream(TextReader reader) : ReadingStream
{
    private readonly char[] chars = new char[4096];
    private readonly Encoder encoder = Encoding.UTF8.GetEncoder();
    private byte[] bytes = [];
    private int start;

    public override int Read(Span<byte> buffer)
    {
        while (start == bytes.Length)
        {
            var read = reader.Read(chars, 0, chars.Length);
            if (read == 0)
                return 0;
            var encoded = new byte[Encoding.UTF8.GetMaxByteCount(read)];
            bytes = encoded[..encoder.GetBytes(chars.AsSpan(0, read), encoded, flush: false)];
            start = 0;
        }
        var count = Math.Min(buffer.Length, bytes.Length - start);
        bytes.AsSpan(start, count).CopyTo(buffer);
        start += count;
        return count;
    }
}
