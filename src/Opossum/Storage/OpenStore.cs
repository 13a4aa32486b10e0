using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>The parts of a store that has been opened. Without a lock and a committer it is open for reading only.</summary>
internal sealed record OpenStore(IFileSystem FileSystem, StoreLayout Layout, Volume Volume, IReadableIndex Index, EventFiles EventFiles, StoreLock? StoreLock = null, Committer? Committer = null) : IDisposable
{
    public void Dispose()
    {
        Index.Dispose();
        StoreLock?.Dispose();
        FileSystem.Dispose();
    }
}
