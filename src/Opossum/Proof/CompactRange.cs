using System.Numerics;

namespace Opossum.Proof;

/// <summary>A tree of which leaves are added in order, and only the hashes that the root needs are kept.</summary>
internal sealed class CompactRange
{
    // One for each perfect subtree, the largest first.
    private readonly Stack<TreeHash> subtrees = new();

    public long Size { get; private set; }

    public void Add(TreeHash leaf)
    {
        for (var merges = BitOperations.TrailingZeroCount(~Size); merges > 0; merges--)
            leaf = TreeHash.OfNode(subtrees.Pop(), leaf);
        subtrees.Push(leaf);
        Size++;
    }

    public TreeHash Root()
    {
        var root = default(TreeHash?);
        foreach (var subtree in subtrees)
            root = root is { } right ? TreeHash.OfNode(subtree, right) : subtree;
        return root ?? TreeHash.Empty;
    }
}
