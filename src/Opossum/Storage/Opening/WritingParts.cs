using Opossum.Storage.Index;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Opening;

/// <summary>The parts that <see cref="OpenStore"/> needs for writing.</summary>
internal sealed record WritingParts(StoreFolder Folder, StoreLock StoreLock, EventIndex Index, FilesBehind Files, Recovery Recovery,
    RunBuilder RunBuilder)
{
    /// <summary>Waits for the store's lock and takes it.</summary>
    public IDisposable Lock(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        StoreLock.Acquire(timeout, cancellationToken: cancellationToken);
}
