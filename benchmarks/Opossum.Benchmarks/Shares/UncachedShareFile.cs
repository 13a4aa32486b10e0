using Opossum.FileSystem;

namespace Opossum.Benchmarks.Shares;

/// <summary>A client's open file whose reads all go to the server.</summary>
internal sealed class UncachedShareFile(IUncachedFile file, string path, ShareClient client) : IUncachedFile
{
    public int Read(Span<byte> buffer, long offset)
    {
        client.Trips.Pay("read past the cache", path, 1);
        return file.Read(buffer, offset);
    }

    public void Dispose()
    {
        client.Trips.Pay("close", path, 1);
        client.Server.Closed(path, client);
        file.Dispose();
    }
}
