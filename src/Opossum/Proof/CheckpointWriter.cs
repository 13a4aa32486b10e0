using System.Globalization;
using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Ledger;

namespace Opossum.Proof;

/// <summary>Writes checkpoints: into the store, and to witnesses. Each new one must continue those before it.</summary>
internal sealed class CheckpointWriter(StoreFolder folder, EventTree tree, TileFiles files, TimeProvider clock)
{
    private const int CheckpointBytesMax = 64 * 1024;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;

    /// <param name="key">Signs it.</param>
    /// <param name="known">What was there before the events of the tree were read.</param>
    /// <exception cref="StoreMaintenanceException">The history does not continue the last checkpoint; nothing was written.</exception>
    // Invariant: each checkpoint that is signed continues the newest one that was in the store, and at every witness
    // that answers, before the events were read. So all are compared before anything is written, and the last tiles, of
    // which others compute the root, are there before the checkpoint.
    public ProofCheckpointResult Write(ProofKey key, KnownCheckpoints known)
    {
        var id = known.StoreId;
        if (known.OfStore is { } last)
            ThrowIfNotContinued(layout.ProofCheckpoint, last, id);
        foreach (var witness in known.OfWitnesses)
        {
            if (witness.Newest is { } newest)
                ThrowIfNotContinued(witness.Path!, newest, id);
        }
        // The same events are proven for as long a time as possible: the older of two equal checkpoints stays.
        var isNew = !IsOfNow(known.OfStore, key);
        var checkpoint = isNew ? ProofCheckpoint.Sign(id, tree.Size, tree.Tree.Root(tree.Size), clock.GetUtcNow(), key) : known.OfStore!;
        fileSystem.CreateFolderDurably(layout.Proof);
        files.Write(PartialTiles());
        if (!isNew)
        {
            // The process that wrote it may have ended before flushing its name.
            DurableFile.FlushFound(fileSystem, layout.ProofCheckpoint);
            fileSystem.FlushFolder(layout.Proof);
        }
        else if (ReadLast(fileSystem, layout.ProofCheckpoint) is not { } there || there.Position <= checkpoint.Position)
        {
            // Another process may have written one of more events meanwhile.
            Replace(layout.ProofCheckpoint, checkpoint);
        }
        List<ProofWitnessStatus> written = [.. known.OfWitnesses.Select(witness =>
            witness.Problem is null ? Copy(witness, checkpoint, isNew: !IsOfNow(witness.Newest, key)) : StatusOf(witness))];
        return new ProofCheckpointResult
        {
            Checkpoint = checkpoint,
            WitnessProblems = [.. written.Select(static witness => witness.Problem).OfType<string>()],
            Witnesses = written,
        };
    }

    // One of a clock that was ahead is replaced.
    private bool IsOfNow(ProofCheckpoint? last, ProofKey key) =>
        last?.Position == tree.Size && last.Time <= clock.GetUtcNow() && last.IsSignedBy(key.Verifier);

    private static ProofWitnessStatus StatusOf(KnownCheckpoints.OfWitness witness) => new()
    {
        Folder = witness.Folder,
        Position = witness.Newest?.Position,
        Time = witness.Newest?.Time,
        Problem = witness.Problem,
    };

    private ProofWitnessStatus Copy(KnownCheckpoints.OfWitness witness, ProofCheckpoint checkpoint, bool isNew)
    {
        var status = StatusOf(witness);
        try
        {
            if (isNew)
            {
                Replace(FilePath.Join(witness.Folder, FileName(checkpoint.StoreId, checkpoint.Position)), checkpoint);
                return status with { Position = checkpoint.Position, Time = checkpoint.Time };
            }
            DurableFile.FlushFound(fileSystem, witness.Path!);
            fileSystem.FlushFolder(witness.Folder);
            return status;
        }
        catch (FileSystemException e) when (!isNew && e.Error is FileError.AccessDenied or FileError.ReadOnly)
        {
            // Somebody keeps the witness from being changed.
            return status;
        }
        catch (FileSystemException e)
        {
            return status with { Problem = e.Message };
        }
    }

    // Every process writes checkpoints, each under a name of its own.
    private void Replace(string path, ProofCheckpoint checkpoint)
    {
        var staging = $"{path}.{Guid.NewGuid():N}{StoreLayout.StagingEnding}";
        try
        {
            DurableFile.Replace(fileSystem, path, staging, Encoding.UTF8.GetBytes(checkpoint.Text));
        }
        catch
        {
            DurableFile.TryDelete(fileSystem, staging);
            throw;
        }
    }

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

    /// <summary>The end of the index may be lost, as after a power cut, and a checkpoint cover events that have their files.</summary>
    /// <exception cref="StoreOpenException">It is so.</exception>
    public static void ThrowIfIndexLacks(ProofCheckpoint last, StoreFolder folder, EventTree tree)
    {
        if (last.Position <= tree.Size)
            return;
        using var eventFiles = new EventFiles(folder);
        var newest = eventFiles.Listing.Newest();
        if (newest < last.Position)
            return;
        throw new StoreOpenException(folder.Layout.Index, string.Create(CultureInfo.InvariantCulture,
            $"The index of the store in {folder.Root} has {tree.Size} events, and the store has events up to position {newest}. Open the store, "
                + $"which completes the index, and try again."));
    }

    private void ThrowIfNotContinued(string path, ProofCheckpoint last, Guid id)
    {
        if (last.StoreId != id)
        {
            throw new StoreMaintenanceException(path,
                $"{path} is the checkpoint of another store, {last.StoreId:D}; this one is {id:D}. Use a folder of its own for it, or move it away. "
                    + "Nothing was written.");
        }
        ThrowIfIndexLacks(last, folder, tree);
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
                    + $"written. {nameof(StoreProof)}.{nameof(StoreProof.VerifyAsync)} (opossum verify) names the first one."));
        }
    }
}
