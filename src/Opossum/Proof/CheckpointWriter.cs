using System.Globalization;
using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage;

namespace Opossum.Proof;

/// <summary>Writes checkpoints: into the store, and to witnesses. Each new one must continue those before it.</summary>
internal sealed class CheckpointWriter(StoreFolder folder, EventTree tree, TileFiles files, TimeProvider clock)
{
    private const int CheckpointBytesMax = 64 * 1024;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;

    /// <exception cref="StoreMaintenanceException">The history does not continue the last checkpoint; nothing was written.</exception>
    public ProofCheckpointResult Write(ProofKey key, IReadOnlyList<string> witnesses)
    {
        var id = folder.Id ?? throw new StoreMaintenanceException(layout.StoreFile,
            $"{layout.StoreFile} is missing, so the store has no id that a checkpoint could state. Open the store, which writes it again.");
        if (ReadLast(fileSystem, layout.ProofCheckpoint) is { } last)
            ThrowIfNotContinued(layout.ProofCheckpoint, last, id);
        // Order matters: every witness is asked before anything is written, so that a history that does not continue one is not signed.
        var found = witnesses.Select(witness => Ask(witness, id)).ToList();
        var checkpoint = ProofCheckpoint.Sign(id, tree.Size, tree.Tree.Root(tree.Size), clock.GetUtcNow(), key);
        files.Write(PartialTiles());
        Replace(layout.ProofCheckpoint, checkpoint);
        var written = found.ConvertAll(witness => witness.Problem is null ? Copy(witness, checkpoint) : witness);
        return new ProofCheckpointResult
        {
            Checkpoint = checkpoint,
            WitnessProblems = [.. written.Select(static witness => witness.Problem).OfType<string>()],
            Witnesses = written,
        };
    }

    private ProofWitnessStatus Ask(string witness, Guid id)
    {
        try
        {
            if (FindNewest(witness, id) is not var (path, newest))
                return new ProofWitnessStatus { Folder = witness, Position = null, Time = null, Problem = null };
            ThrowIfNotContinued(path, newest, id);
            return new ProofWitnessStatus
            {
                Folder = witness,
                Position = newest.Position,
                Time = newest.Time,
                Problem = null,
            };
        }
        catch (FileSystemException e)
        {
            return new ProofWitnessStatus { Folder = witness, Position = null, Time = null, Problem = e.Message };
        }
    }

    private ProofWitnessStatus Copy(ProofWitnessStatus witness, ProofCheckpoint checkpoint)
    {
        try
        {
            Replace(FilePath.Join(witness.Folder, FileName(checkpoint.StoreId, checkpoint.Position)), checkpoint);
            return witness with { Position = checkpoint.Position, Time = checkpoint.Time };
        }
        catch (FileSystemException e)
        {
            return witness with { Problem = e.Message };
        }
    }

    private void Replace(string path, ProofCheckpoint checkpoint) =>
        DurableFile.Replace(fileSystem, path, path + StoreLayout.StagingEnding, Encoding.UTF8.GetBytes(checkpoint.Text));

    private static string FileName(Guid id, long position) =>
        string.Create(CultureInfo.InvariantCulture, $"{id:D}-{position:D10}{StoreLayout.CheckpointEnding}");

    // The last tile of each level, which others need to compute the root.
    private List<(Tile Tile, TreeHash[] Hashes)> PartialTiles()
    {
        var partial = new List<(Tile, TreeHash[])>();
        var count = tree.Size;
        for (var level = 0; count > 0; level++, count /= Tile.Width)
        {
            var hashes = new TreeHash[count % Tile.Width];
            for (var at = 0; at < hashes.Length; at++)
                hashes[at] = tree.HashOf(level, (count / Tile.Width * Tile.Width) + at);
            if (hashes.Length > 0)
                partial.Add((new Tile(level, count / Tile.Width), hashes));
        }
        return partial;
    }

    private (string Path, ProofCheckpoint Checkpoint)? FindNewest(string witness, Guid id)
    {
        var start = id.ToString("D");
        var newest = fileSystem.List(witness)
            .Where(name => name.StartsWith(start, StringComparison.Ordinal) && name.EndsWith(StoreLayout.CheckpointEnding, StringComparison.Ordinal))
            .Max(StringComparer.Ordinal);
        if (newest is null)
            return null;
        var path = FilePath.Join(witness, newest);
        return ReadLast(fileSystem, path) is { } checkpoint ? (path, checkpoint) : null;
    }

    /// <summary>Reads a checkpoint without asking for its signature; null when there is none.</summary>
    public static ProofCheckpoint? ReadLast(IFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is null)
            return null;
        var bytes = new byte[CheckpointBytesMax];
        try
        {
            return ProofCheckpoint.ParseUnverified(Encoding.UTF8.GetString(bytes, 0, file.Read(bytes, 0)));
        }
        catch (FormatException e)
        {
            throw new StoreMaintenanceException(path, $"{path} is not a checkpoint: {e.Message}. Look at it and move it away. Nothing was written.");
        }
    }

    private void ThrowIfNotContinued(string path, ProofCheckpoint last, Guid id)
    {
        if (last.StoreId != id)
        {
            throw new StoreMaintenanceException(path,
                $"{path} is the checkpoint of another store, {last.StoreId:D}; this one is {id:D}. Use a folder of its own for it, or move it away. "
                    + "Nothing was written.");
        }
        if (last.Position > tree.Size)
        {
            throw new StoreMaintenanceException(path, string.Create(CultureInfo.InvariantCulture,
                $"The history was cut off: {path} covers {last.Position} events, and the store has {tree.Size}. No checkpoint was written."))
            {
                Position = tree.Size + 1,
            };
        }
        if (last.Root != tree.Tree.Root(last.Position))
        {
            throw new StoreMaintenanceException(path, string.Create(CultureInfo.InvariantCulture,
                $"The history was changed: one or more of the first {last.Position} events differ from those that {path} covers. No checkpoint was "
                    + $"written. {nameof(StoreProof)}.{nameof(StoreProof.VerifyAsync)} names the first one."));
        }
    }
}
