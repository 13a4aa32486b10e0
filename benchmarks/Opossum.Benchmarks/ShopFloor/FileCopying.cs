namespace Opossum.Benchmarks.ShopFloor;

/// <summary>
/// Copies a large file over and over, as a backup or a camera does, until it is disposed. Byte by byte: some file systems would only note
/// that two files are alike.
/// </summary>
internal sealed class FileCopying : IDisposable
{
    private readonly CancellationTokenSource stopping = new();
    private readonly Thread thread;
    private readonly string target;
    private long copied;

    public FileCopying(string source, string target)
    {
        this.target = target;
        thread = new Thread(() => Copy(source));
        thread.Start();
    }

    /// <summary>How many bytes have been copied.</summary>
    public long CopiedBytes => Interlocked.Read(ref copied);

    /// <summary>Makes the file to copy.</summary>
    public static void MakeSource(string path, long length)
    {
        var block = new byte[1 << 20];
        new Random(1).NextBytes(block);
        using var file = File.Create(path, bufferSize: 0);
        for (long written = 0; written < length; written += block.Length)
            file.Write(block.AsSpan(0, (int)Math.Min(block.Length, length - written)));
        file.Flush(flushToDisk: true);
    }

    public void Dispose()
    {
        stopping.Cancel();
        thread.Join();
        stopping.Dispose();
        File.Delete(target);
    }

    private void Copy(string source)
    {
        var block = new byte[1 << 20];
        while (!stopping.IsCancellationRequested)
        {
            using var from = new FileStream(source, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
            using var to = new FileStream(target, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
            for (int length; !stopping.IsCancellationRequested && (length = from.Read(block)) > 0; Interlocked.Add(ref copied, length))
                to.Write(block.AsSpan(0, length));
        }
    }
}
