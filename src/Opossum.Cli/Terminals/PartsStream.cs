using System.Text;

namespace Opossum.Cli.Terminals;

/// <summary>Bytes in parts that are made one by one, as they are read.</summary>
internal sealed class PartsStream(IEnumerable<byte[]> parts) : ReadingStream
{
    private readonly IEnumerator<byte[]> enumerator = parts.GetEnumerator();
    private byte[] part = [];
    private int start;

    /// <summary>Reads the text of a reader as UTF-8.</summary>
    public static PartsStream OfText(TextReader reader) => new(Encode(reader));

    public override int Read(Span<byte> buffer)
    {
        while (start == part.Length)
        {
            if (!enumerator.MoveNext())
                return 0;
            part = enumerator.Current;
            start = 0;
        }
        var count = Math.Min(buffer.Length, part.Length - start);
        part.AsSpan(start, count).CopyTo(buffer);
        start += count;
        return count;
    }

    protected override void Dispose(bool disposing)
    {
        enumerator.Dispose();
        base.Dispose(disposing);
    }

    private static IEnumerable<byte[]> Encode(TextReader reader)
    {
        var chars = new char[4096];
        var encoder = Encoding.UTF8.GetEncoder();
        while (reader.Read(chars, 0, chars.Length) is > 0 and var read)
        {
            var encoded = new byte[Encoding.UTF8.GetMaxByteCount(read)];
            yield return encoded[..encoder.GetBytes(chars, 0, read, encoded, 0, flush: false)];
        }
    }
}
