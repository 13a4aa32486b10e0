using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>The parts of a store that has been opened.</summary>
internal sealed record OpenStore(IFileSystem FileSystem, StoreLayout Layout, Volume Volume, StoreLock StoreLock, EventIndex Index, EventFiles EventFiles, Recovery Recovery) : IDisposable
{
    public void Dispose()
    {
        Index.Dispose();
        StoreLock.Dispose();
        FileSystem.Dispose();
    }
}
