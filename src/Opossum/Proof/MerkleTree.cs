using System.Numerics;

namespace Opossum.Proof;

/// <summary>Roots and proofs of a Merkle tree, as RFC 6962, sections 2.1 and 2.1.1, defines them.</summary>
/// <param name="find">
/// The hash of a perfect subtree that begins and ends with a tile's hash: its level of tiles, and its number in that level. Level 0 is the leaves.
/// </param>
internal sealed class MerkleTree(Func<int, long, TreeHash> find)
{
    /// <summary>The root of the tree over the first leaves.</summary>
    public TreeHash Root(long size) => size == 0 ? TreeHash.Empty : HashOf(0, size);

    /// <summary>The hashes that lead from a leaf to the root.</summary>
    /// <param name="index">The number of the leaf, from 0.</param>
    /// <param name="size">The number of leaves of the tree.</param>
    public List<TreeHash> ProveInclusion(long index, long size)
    {
        var proof = new List<TreeHash>();
        var (first, last) = (0L, size);
        while (last - first > 1)
        {
            var middle = first + LeftSize(last - first);
            if (index < middle)
            {
                proof.Add(HashOf(middle, last));
                last = middle;
            }
            else
            {
                proof.Add(HashOf(first, middle));
                first = middle;
            }
        }
        proof.Reverse();
        return proof;
    }

    public static bool IsIncluded(TreeHash leaf, long index, long size, IReadOnlyList<TreeHash> proof, TreeHash root)
    {
        if (index < 0 || index >= size)
            return false;
        var (node, last, hash, used) = (index, size - 1, leaf, 0);
        while (last > 0)
        {
            if (node % 2 == 1 || node < last)
            {
                if (used == proof.Count)
                    return false;
                hash = node % 2 == 1 ? TreeHash.OfNode(proof[used++], hash) : TreeHash.OfNode(hash, proof[used++]);
            }
            (node, last) = (node / 2, last / 2);
        }
        return used == proof.Count && hash == root;
    }

    private TreeHash HashOf(long first, long last)
    {
        var size = last - first;
        var height = BitOperations.Log2((ulong)size);
        if (BitOperations.IsPow2(size) && height % Tile.Height == 0)
            return find(height / Tile.Height, first >> height);
        var middle = first + LeftSize(size);
        return TreeHash.OfNode(HashOf(first, middle), HashOf(middle, last));
    }

    // The largest power of two below the size.
    private static long LeftSize(long size) => 1L << BitOperations.Log2((ulong)(size - 1));
}
