using System.Globalization;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Proof;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Check;

/// <summary>Compares the tree and the last checkpoint in the folder Proof with the event files.</summary>
internal sealed class ProofComparison(StoreFolder folder, EventFiles eventFiles, Action<StoreFinding> find)
{
    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly LeafSource source = new(eventFiles);
    private readonly TileFiles files = new(folder.FileSystem, folder.Layout);
    private readonly CompactRange range = new();
    // The roots of whole tiles, by level, until there are as many as a tile of the level above has.
    private readonly List<List<TreeHash>> roots = [];
    private (Tile Tile, long Position)? differing;
    private TreeHash? rootOfCheckpoint;

    /// <summary>Reads the checkpoint, before the events are looked at: an app may append and write another one meanwhile.</summary>
    public static ProofCheckpoint? ReadCheckpoint(StoreFolder folder, Action<StoreFinding> find)
    {
        try
        {
            return CheckpointWriter.ReadLast(folder.FileSystem, folder.Layout.ProofCheckpoint);
        }
        catch (StoreMaintenanceException e)
        {
            find(StoreFinding.Of(FindingKind.ProofMismatch, folder.Layout.ProofCheckpoint, e.Message, Remedy.MoveAway));
            return null;
        }
    }

    /// <summary>Compares up to a position.</summary>
    /// <param name="checkpoint">See <see cref="ReadCheckpoint"/>.</param>
    /// <param name="last">The last position up to which the event files are whole.</param>
    /// <param name="highest">The highest position that has an event file.</param>
    public void Run(ProofCheckpoint? checkpoint, long last, long highest, CancellationToken cancellationToken)
    {
        if (fileSystem.GetKind(folder.Layout.Proof) != EntryKind.Folder)
            return;
        var covered = checkpoint?.Position ?? 0;
        if (covered == 0)
            rootOfCheckpoint = TreeHash.Empty;
        var tiles = Math.Min(files.CountWhole(), last / Tile.Width);
        for (var tile = 0L; tile < Math.Max(tiles, (Math.Min(covered, last) + Tile.Width - 1) / Tile.Width); tile++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var end = Math.Min(Math.Max(tiles * Tile.Width, Math.Min(covered, last)), (tile + 1) * Tile.Width);
            if (ReadLeaves(tile * Tile.Width, end) is not { } leaves)
                return;
            Compare(tile, leaves, checkpoint);
        }
        // What the checkpoint covers after a bad event file cannot be compared before that file is repaired, which is a finding of its own.
        var isBeyond = checkpoint is not null && checkpoint.Position > last && checkpoint.Position <= highest && checkpoint.StoreId == folder.Id;
        var isDoubtful = isBeyond || (checkpoint is not null && FindOther(checkpoint, highest));
        if (differing is var (differs, position))
        {
            find(StoreFinding.Of(FindingKind.ProofMismatch, folder.Layout.ProofFile(differs.Path()),
                Say($"the tile {differs} does not match the events from position {position} on"),
                isDoubtful ? Remedy.VerifyProof : Remedy.RebuildProof, position));
        }
    }

    // Null: an event file has become bad since the check read it, or says of its redaction what is not so.
    private TreeHash[]? ReadLeaves(long after, long last)
    {
        var leaves = new TreeHash?[last - after];
        fileSystem.ForEach(leaves.Length, at => leaves[at] = source.OfFile(after + at + 1, out _)?.Hash);
        if (Array.FindIndex(leaves, static leaf => leaf is null) is var bad and >= 0)
        {
            FindForged(after + bad + 1);
            return null;
        }
        return Array.ConvertAll(leaves, static leaf => leaf!.Value);
    }

    // The event has no leaf, so nothing from it on can be compared.
    private void FindForged(long position)
    {
        if (source.OfFile(position, out var problem) is not null || eventFiles.ReadOrProblem(position).Stored is null)
            return;
        var path = eventFiles.PathOf(position);
        find(StoreFinding.Of(FindingKind.ProofMismatch, path, $"{path} {problem}", Remedy.VerifyProof, position));
    }

    private void Compare(long index, TreeHash[] leaves, ProofCheckpoint? checkpoint)
    {
        foreach (var leaf in leaves)
        {
            range.Add(leaf);
            if (range.Size == checkpoint?.Position)
                rootOfCheckpoint = range.Root();
        }
        if (leaves.Length == Tile.Width)
            CompareWhole(new Tile(0, index), leaves);
    }

    // A tile that is missing above another one is computed when it is needed.
    private void CompareWhole(Tile tile, TreeHash[] hashes)
    {
        var isThere = fileSystem.GetKind(folder.Layout.ProofFile(tile.Path())) == EntryKind.File;
        if (differing is null && isThere && (files.Read(tile) is not { } stored || !stored.AsSpan().SequenceEqual(hashes)))
            differing = (tile, tile.LastLeaf - ((long)Tile.Width << (Tile.Height * tile.Level)) + 1);
        if (roots.Count == tile.Level)
            roots.Add([]);
        var level = roots[tile.Level];
        level.Add(TreeHash.OfPerfect([.. hashes]));
        if (level.Count < Tile.Width)
            return;
        TreeHash[] above = [.. level];
        level.Clear();
        CompareWhole(new Tile(tile.Level + 1, tile.Index / Tile.Width), above);
    }

    // Whether it does not show that the events are right.
    private bool FindOther(ProofCheckpoint checkpoint, long highest)
    {
        var path = folder.Layout.ProofCheckpoint;
        if (checkpoint.StoreId != folder.Id)
        {
            find(StoreFinding.Of(FindingKind.ProofMismatch, path,
                $"{path} is the checkpoint of another store", Remedy.MoveAway));
            return true;
        }
        if (rootOfCheckpoint == checkpoint.Root)
            return false;
        find(StoreFinding.Of(FindingKind.ProofMismatch, path,
            checkpoint.Position > highest
                ? Say($"{path} covers {checkpoint.Position} events, and the store has {highest}: the history was cut off")
                : Say($"one or more of the first {checkpoint.Position} events differ from those that {path} covers"),
            Remedy.VerifyProof));
        return true;
    }

    private static string Say(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
