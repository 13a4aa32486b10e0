using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// A list that only grows and never moves its items, so readers need no lock: one writer, any number of readers of published items.
/// </summary>
internal sealed class AppendOnlyList<T>
{
    private const int SegmentBits = 12;
    private const int SegmentLength = 1 << SegmentBits;

    private T[][] segments = new T[4][];
    private int count;

    public int Count => count;

    public ref T this[int index] => ref segments[index >> SegmentBits][index & (SegmentLength - 1)];

    [MethodImpl(FirstCall.Optimized)]
    public void Add(T item)
    {
        var segment = count >> SegmentBits;
        if ((count & (SegmentLength - 1)) == 0)
        {
            if (segment == segments.Length)
            {
                var longer = new T[segments.Length * 2][];
                segments.CopyTo(longer, 0);
                longer[segment] = new T[SegmentLength];
                Volatile.Write(ref segments, longer);
            }
            else
            {
                segments[segment] = new T[SegmentLength];
            }
        }
        segments[segment][count & (SegmentLength - 1)] = item;
        count++;
    }
}
