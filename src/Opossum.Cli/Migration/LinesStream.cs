using Opossum.Cli.Terminals;

namespace Opossum.Cli.Migration;

/// <summary>Lines that are made one by one, as they are read.</summary>
internal sealed class LinesStream(IEnumerable<byte[]> lines) : ReadingStream
{
    private readonly IEnumerator<byte[]> enumerator = lines.GetEnumerator();
    private byte[] line = [];
    private int start;

    public override int Read(Span<byte> buffer)
    {
        while (start == line.Length)
        {
            if (!enumerator.MoveNext())
                return 0;
            line = enumerator.Current;
            start = 0;
        }
        var count = Math.Min(buffer.Length, line.Length - start);
        line.AsSpan(start, count).CopyTo(buffer);
        start += count;
        return count;
    }

    protected override void Dispose(bool disposing)
    {
        enumerator.Dispose();
        base.Dispose(disposing);
    }
}
