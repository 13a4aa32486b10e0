namespace Opossum.Cli.Terminals;

/// <summary>Reads a stream that may have nothing to read for long, such as a pipe, and ends with a cancellation instead of waiting for it.</summary>
internal sealed class InterruptibleStream(Stream stream, CancellationToken cancellationToken) : ReadingStream
{
    private readonly byte[] bytes = new byte[64 * 1024];

    public override int Read(Span<byte> buffer)
    {
        // A read that is abandoned by a cancellation ends with the process.
        var count = Math.Min(buffer.Length, bytes.Length);
        var reading = Task.Run(() => stream.Read(bytes, 0, count), CancellationToken.None);
        var read = reading.WaitAsync(cancellationToken).GetAwaiter().GetResult();
        bytes.AsSpan(0, read).CopyTo(buffer);
        return read;
    }

    protected override void Dispose(bool disposing)
    {
        // Where a read is under way, disposing the stream could wait for it.
        if (disposing && !cancellationToken.IsCancellationRequested)
            stream.Dispose();
        base.Dispose(disposing);
    }
}
