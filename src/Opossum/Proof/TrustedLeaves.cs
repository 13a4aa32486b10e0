using Opossum.Maintenance;

namespace Opossum.Proof;

/// <summary>The leaves of tiles whose root a checkpoint states: those of the events as they were stored.</summary>
internal sealed class TrustedLeaves
{
    private readonly TileFiles files;
    private readonly long size;
    private (long Index, TreeHash[] Hashes)? read;

    private TrustedLeaves(TileFiles files, long size)
    {
        this.files = files;
        this.size = size;
    }

    /// <summary>Reads all tiles; null when they are incomplete, or their root is not the checkpoint's.</summary>
    public static TrustedLeaves? Open(TileFiles files, ProofCheckpoint checkpoint)
    {
        var leaves = new TrustedLeaves(files, checkpoint.Position);
        var range = new CompactRange();
        for (var position = 1L; position <= checkpoint.Position; position++)
        {
            if (leaves.Leaf(position) is not { } leaf)
                return null;
            range.Add(leaf);
        }
        return range.Root() == checkpoint.Root ? leaves : null;
    }

    /// <summary>The leaf of a position; null after the end.</summary>
    public TreeHash? Leaf(long position)
    {
        if (position > size)
            return null;
        var (index, at) = Math.DivRem(position - 1, Tile.Width);
        if (read?.Index != index)
        {
            var width = (int)Math.Min(Tile.Width, size - (index * Tile.Width));
            if (files.Read(new Tile(0, index), width) is not { } hashes)
                return null;
            read = (index, hashes);
        }
        return read.Value.Hashes[at];
    }

    /// <summary>The position of an event by its leaf; null when there is none.</summary>
    public long? Find(TreeHash leaf)
    {
        for (var position = 1L; position <= size; position++)
        {
            if (Leaf(position) == leaf)
                return position;
        }
        return null;
    }
}
