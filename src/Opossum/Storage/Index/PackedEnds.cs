using System.Runtime.CompilerServices;

namespace Opossum.Storage.Index;

/// <summary>Where the packed copies end, in the order of positions: one whole number for a block of them, and for each how far behind it lies.</summary>
/// <remarks>One writer; readers need no lock for what was published to them.</remarks>
internal sealed class PackedEnds
{
    // Seven copies of StoreLayout.PackedCopyBytesMax lie within what a uint can tell.
    private const int BlockLength = 8;

    private readonly AppendOnlyList<long> blocks = new();
    private readonly AppendOnlyList<uint> distances = new();

    /// <summary>The end of the copy of that number, from 0.</summary>
    public long this[int index] => blocks[index / BlockLength] + distances[index];

    /// <summary>Adds an end, which lies behind all others.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Add(long end)
    {
        if (distances.Count % BlockLength == 0)
            blocks.Add(end);
        distances.Add(checked((uint)(end - blocks[distances.Count / BlockLength])));
    }
}
