using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>A client's handle on a file of the simulated disk that bypasses its machine's cache.</summary>
internal sealed class SimulatedUncachedFile(SimulatedFileSystem client, string path, FileInode inode) : IUncachedFile
{
    private readonly int mount = client.Mount;

    public int Read(Span<byte> buffer, long offset)
    {
        using var turn = client.Begin(mount, OperationKind.ReadPastCache, path, offset, buffer.Length);
        return client.HeldBack.LayOver(inode, buffer, offset, inode.Read(buffer, offset));
    }

    public void Dispose()
    {
    }
}
