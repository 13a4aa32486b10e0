namespace Opossum.Cli.Terminals;

/// <summary>Writes to a pipe, and reports a reader that has ended as a <see cref="BrokenPipeException"/>.</summary>
internal sealed class PipeStream(Stream pipe) : Stream
{
    private static int calls;

    /// <summary>The number of the write that this process is waiting for; null: it is in none.</summary>
    public static int? Waiting => Volatile.Read(ref calls) is var number && number % 2 == 1 ? number : null;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        Interlocked.Increment(ref calls);
        try
        {
            pipe.Write(buffer);
        }
        catch (IOException e)
        {
            throw new BrokenPipeException(e);
        }
        finally
        {
            Interlocked.Increment(ref calls);
        }
    }

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
