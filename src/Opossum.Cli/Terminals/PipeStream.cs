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
        catch (IOException e) when (HasReaderEnded(e))
        {
            throw new BrokenPipeException(e);
        }
        finally
        {
            Interlocked.Increment(ref calls);
        }
    }

    // EPIPE; on Windows ERROR_BROKEN_PIPE, ERROR_NO_DATA and ERROR_PIPE_NOT_CONNECTED.
    private static bool HasReaderEnded(IOException e) => OperatingSystem.IsWindows()
        ? (e.HResult & 0xFFFF) is 109 or 232 or 233
        : e.HResult == 32;
}
