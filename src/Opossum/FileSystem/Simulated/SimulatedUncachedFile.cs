namespace Opossum.FileSystem.Simulated;

/// <summary>A client's handle on a file of the simulated disk that passes its machine's cache by.</summary>
internal sealed class SimulatedUncachedFile(SimulatedFileSystem client, string path, FileInode inode) : IUncachedFile
{
    public int Read(Span<byte> buffer, long offset)
    {
        using var turn = client.Begin(OperationKind.ReadPastCache, path, offset, buffer.Length);
        return inode.Read(buffer, offset);
    }

    public void Dispose()
    {
    }
}
