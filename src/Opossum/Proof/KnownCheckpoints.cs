using Opossum.FileSystem;
using Opossum.Maintenance;

namespace Opossum.Proof;

/// <summary>
/// The newest checkpoints in the store and at witnesses, read before the events that are compared with them: another
/// process may append and write further ones meanwhile.
/// </summary>
/// <param name="StoreId">The store.</param>
/// <param name="OfStore">The one in the store; null: there is none.</param>
/// <param name="OfWitnesses">Those of the witnesses, in their order.</param>
internal sealed record KnownCheckpoints(Guid StoreId, ProofCheckpoint? OfStore,
    IReadOnlyList<KnownCheckpoints.OfWitness> OfWitnesses)
{
    /// <exception cref="StoreMaintenanceException">A file is no checkpoint, or the store has no id.</exception>
    public static KnownCheckpoints Read(StoreFolder folder, IReadOnlyList<string> witnesses)
    {
        var (fileSystem, layout) = (folder.FileSystem, folder.Layout);
        var id = folder.Id ?? throw new StoreMaintenanceException(layout.StoreFile,
            $"{layout.StoreFile} is missing, so the store has no id that a checkpoint could state. Open the store, which "
                + "writes it again.");
        return new KnownCheckpoints(id, CheckpointWriter.ReadLast(fileSystem, layout.ProofCheckpoint),
            [.. witnesses.Select(witness => Ask(fileSystem, witness, id))]);
    }

    private static OfWitness Ask(IFileSystem fileSystem, string witness, Guid id)
    {
        try
        {
            var start = id.ToString("D");
            var newest = fileSystem.List(witness).Where(name => name.StartsWith(start, StringComparison.Ordinal)
                && name.EndsWith(StoreLayout.CheckpointEnding, StringComparison.Ordinal)).Max(StringComparer.Ordinal);
            var path = newest is null ? null : FilePath.Join(witness, newest);
            return new OfWitness(witness, path, path is null ? null : CheckpointWriter.ReadLast(fileSystem, path), null);
        }
        catch (FileSystemException e)
        {
            return new OfWitness(witness, null, null, e.Message);
        }
    }

    /// <param name="Folder">The witness.</param>
    /// <param name="Path">The file; null: there is none.</param>
    /// <param name="Newest">The checkpoint; null: there is none.</param>
    /// <param name="Problem">Why it could not be read; null: it could.</param>
    internal sealed record OfWitness(string Folder, string? Path, ProofCheckpoint? Newest, string? Problem);
}
