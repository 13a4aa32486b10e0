using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Projections.States;

/// <summary>The progress of a generation's states.</summary>
/// <param name="Checkpoint">The position up to which events are applied to them.</param>
/// <param name="Basis">The last event that they may be built on, which may lie after the checkpoint; null: unknown.</param>
internal sealed record Progress(Checkpoint Checkpoint, EventAt? Basis)
{
    /// <summary>Reads it; null when there is no checkpoint. For the leader, and for a <see cref="PatientLook"/>.</summary>
    /// <exception cref="FileSystemException">A new leader has replaced the checkpoint meanwhile, or it cannot be read.</exception>
    /// <exception cref="DamagedFileException">The checkpoint is damaged.</exception>
    public static Progress? Read(IFileSystem fileSystem, Generation generation)
    {
        var names = fileSystem.List(generation.Folder);
        // While one name replaces another, a listing may miss both.
        return Checkpoint.ReadNewest(fileSystem, generation, names) is { } checkpoint
            ? new Progress(checkpoint, NewestBasis(names) ?? NewestBasis(fileSystem.List(generation.Folder)))
            : null;
    }

    /// <summary>
    /// Whether the states are built only on the store's events: a power cut, a truncation or a backup may have replaced some of these events.
    /// </summary>
    public async ValueTask<bool> FitsAsync(FollowerHost host, CancellationToken cancellationToken) =>
        Basis is { } basis
        && await StoreEvents.HasAsync(host, basis, cancellationToken).ConfigureAwait(false)
        && await StoreEvents.HasAsync(host, Checkpoint.Last, cancellationToken).ConfigureAwait(false);

    private static EventAt? NewestBasis(List<string> names)
    {
        var newest = (EventAt?)null;
        foreach (var name in names)
        {
            if (Generation.TryParseStaging(name, out var basis) && !(basis.Position <= newest?.Position))
                newest = basis;
        }
        return newest;
    }
}
