using Opossum.FileSystem;
using Opossum.Testing.Simulated;

namespace Opossum.Benchmarks.Shares;

/// <summary>
/// A client's open file. A client that is the only one with a file open holds a lease and may keep its reads, writes and locks local:
/// <list type="table">
/// <listheader><term>operation</term><description>round trips alone / while another machine has the file open</description></listheader>
/// <item><term>read</term><description>0 of what was read or written before and at the end, else 1 / 1; for each 4 MiB</description></item>
/// <item><term>write</term><description>0, it waits for the flush / 1</description></item>
/// <item><term>wait until written bytes have reached the server</term><description>1; 0 when none waited / 0</description></item>
/// <item><term>flush</term><description>2, the bytes that waited and the flush; 1 when none did / 1</description></item>
/// <item><term>lock, unlock</term><description>0 / 1</description></item>
/// <item><term>length, whether a name is left</term><description>0 within a second of the last answer, else 1</description></item>
/// <item><term>cut or lengthen</term><description>1</description></item>
/// <item><term>close</term><description>1; 2 when bytes waited</description></item>
/// </list>
/// </summary>
internal sealed class ShareFile(IFile file, string path, ShareClient client) : IFile
{
    private const int ReadMax = 4 << 20;

    private readonly Ranges cached = new();
    private bool hasWaitingBytes;
    private long? stateKnownAt;

    private bool IsShared => client.Server.IsShared(path, client);

    public int Read(Span<byte> buffer, long offset)
    {
        var count = file.Read(buffer, offset);
        if (IsShared || !IsCached(offset, offset + count))
            Pay("read", Math.Max(1, (count + ReadMax - 1) / ReadMax));
        Keep(offset, count);
        return count;
    }

    public void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        if (IsShared)
            Pay("write", 1);
        else
            hasWaitingBytes = true;
        file.Write(bytes, offset);
        Keep(offset, bytes.Length);
    }

    public void Flush()
    {
        Pay("flush", hasWaitingBytes ? 2 : 1);
        hasWaitingBytes = false;
        file.Flush();
    }

    public void BeginFlushRange() => file.BeginFlushRange();

    public void FlushRange()
    {
        Pay("write out", hasWaitingBytes ? 1 : 0);
        hasWaitingBytes = false;
        file.FlushRange();
    }

    public void SetLength(long length)
    {
        Pay("cut", 1);
        file.SetLength(length);
    }

    public long GetLength()
    {
        AskState();
        return file.GetLength();
    }

    public bool IsUnlinked()
    {
        AskState();
        return file.IsUnlinked();
    }

    public FileId GetId() => file.GetId();

    public bool TryLock(long offset)
    {
        PayIfShared("lock");
        return file.TryLock(offset);
    }

    public void Unlock(long offset)
    {
        PayIfShared("unlock");
        file.Unlock(offset);
    }

    public void Dispose()
    {
        Pay("close", hasWaitingBytes ? 2 : 1);
        client.Server.Closed(path, client);
        file.Dispose();
    }

    private void Keep(long offset, int count)
    {
        cached.Subtract((int)offset, (int)offset + count);
        cached.Add((int)offset, (int)offset + count);
    }

    private bool IsCached(long from, long to) => cached.Within((int)from, (int)to).Sum(range => (long)(range.End - range.Start)) == to - from;

    private void AskState()
    {
        if (stateKnownAt is { } since && client.Clock.GetElapsedTime(since) < ShareClient.Staleness)
            return;
        Pay("ask for the state of", 1);
        stateKnownAt = client.Clock.GetTimestamp();
    }

    private void PayIfShared(string operation)
    {
        if (IsShared)
            Pay(operation, 1);
    }

    private void Pay(string operation, int trips) => client.Trips.Pay(operation, path, trips);
}
