using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>The ends of the lines in position order: one full offset per block, and each end's distance from it.</summary>
/// <remarks>One writer; readers need no lock for published ends.</remarks>
internal sealed class LineEnds
{
    // Seven lines of StoreLayout.LineBytesMax fit into a uint.
    private const int BlockLength = 8;

    private readonly AppendOnlyList<long> blocks = new();
    private readonly AppendOnlyList<uint> distances = new();

    /// <summary>The end of the line with that number, counted from 0.</summary>
    public long this[int index] => blocks[index / BlockLength] + distances[index];

    [MethodImpl(FirstCall.Optimized)]
    public void Add(long end)
    {
        if (distances.Count % BlockLength == 0)
            blocks.Add(end);
        distances.Add(checked((uint)(end - blocks[distances.Count / BlockLength])));
    }
}
