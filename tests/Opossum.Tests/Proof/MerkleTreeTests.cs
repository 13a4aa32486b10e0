using Opossum.Proof;

namespace Opossum.Tests.Proof;

/// <summary>Roots and proofs equal those of RFC 6962, computed from its definitions over a list of leaves.</summary>
public sealed class MerkleTreeTests
{
    private const int LeavesMax = 66_000;

    private static readonly TreeHash[] leaves = [.. Enumerable.Range(0, LeavesMax).Select(static at => Leaf(at))];
    private static readonly MerkleTree tree = new(static (level, number) => Naive(
        leaves.AsSpan((int)(number << (8 * level)), 1 << (8 * level))));

    public static TheoryData<int> Sizes => [0, 1, 2, 3, 7, 8, 255, 256, 257, 511, 512, 1_000, 65_535, 65_536, 65_537];

    [Theory]
    [MemberData(nameof(Sizes))]
    public void Root_is_that_of_the_definition(int size) => Assert.Equal(Naive(leaves.AsSpan(0, size)), tree.Root(size));

    [Fact]
    public void The_root_of_no_leaves_is_the_hash_of_no_bytes() =>
        Assert.Equal("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", tree.Root(0).ToString());

    [Fact]
    public void Each_leaf_is_proven_and_no_other()
    {
        for (var size = 1; size <= 40; size++)
        {
            var root = tree.Root(size);
            for (var index = 0; index < size; index++)
            {
                var proof = tree.ProveInclusion(index, size);
                Assert.True(MerkleTree.IsIncluded(leaves[index], index, size, proof, root));
                Assert.False(MerkleTree.IsIncluded(leaves[index + 1], index, size, proof, root));
                Assert.False(MerkleTree.IsIncluded(leaves[index], index + 1, size, proof, root));
                Assert.False(MerkleTree.IsIncluded(leaves[index], index, size, [.. proof, root], root));
                Assert.False(MerkleTree.IsIncluded(leaves[index], index, size, proof, tree.Root(size + 1)));
            }
        }
    }

    [Theory]
    [InlineData(0, "tile/0/000")]
    [InlineData(999, "tile/0/999")]
    [InlineData(1_234_067, "tile/0/x001/x234/067")]
    public void Tiles_are_named_as_tlog_tiles_names_them(long index, string name) => Assert.Equal(name, new Tile(0, index).ToString());

    private static TreeHash Leaf(int at) => TreeHash.OfLeaf([TreeHash.LeafPrefix, .. BitConverter.GetBytes(at)]);

    private static TreeHash Naive(ReadOnlySpan<TreeHash> hashes)
    {
        if (hashes.Length == 0)
            return TreeHash.Empty;
        if (hashes.Length == 1)
            return hashes[0];
        var left = 1;
        while (left * 2 < hashes.Length)
            left *= 2;
        return TreeHash.OfNode(Naive(hashes[..left]), Naive(hashes[left..]));
    }
}
