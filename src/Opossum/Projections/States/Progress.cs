using Opossum.FileSystem;

namespace Opossum.Projections.States;

/// <summary>How far the states of a generation are.</summary>
/// <param name="Checkpoint">Up to where events count in them.</param>
/// <param name="Basis">Which event they may be built on, be it after the checkpoint; null: nothing says so.</param>
internal sealed record Progress(Checkpoint Checkpoint, EventAt? Basis)
{
    /// <summary>Reads it; null when there is no checkpoint. For those who lead, and for a <see cref="PatientLook"/>.</summary>
    /// <exception cref="FileSystemException">A new leader has put another checkpoint in its place meanwhile, or it cannot be read.</exception>
    /// <exception cref="DamagedFileException">The checkpoint is damaged.</exception>
    public static Progress? Read(IFileSystem fileSystem, Generation generation)
    {
        var names = fileSystem.List(generation.Folder);
        // Of two names, one of which takes the other's place, a listing may miss both.
        return Checkpoint.ReadNewest(fileSystem, generation, names) is { } checkpoint ? new Progress(checkpoint, NewestBasis(names) ?? NewestBasis(fileSystem.List(generation.Folder))) : null;
    }

    /// <summary>Whether the states are built on the store's events and on no others: a power cut, a truncation or a backup may have put others in their places.</summary>
    public async ValueTask<bool> FitsAsync(IEventStore store, CancellationToken cancellationToken) =>
        Basis is { } basis
        && await StoreEvents.HasAsync(store, basis, cancellationToken).ConfigureAwait(false)
        && await StoreEvents.HasAsync(store, Checkpoint.Last, cancellationToken).ConfigureAwait(false);

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
