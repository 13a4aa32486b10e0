namespace Opossum.Cli.Terminals;

/// <summary>Writes to a pipe, and reports a reader that has ended as a <see cref="BrokenPipeException"/>.</summary>
internal sealed class PipeStream(Stream pipe) : WritingStream
{
    private static int calls;

    /// <summary>The number of the write that this process is waiting for; null: it is in none.</summary>
    public static int? Waiting => Volatile.Read(ref calls) is var number && number % 2 == 1 ? number : null;

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
}
