using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// A list that only grows, so readers need no lock: one writer, any number of readers of published items. Its first segment grows with it, so that a
/// short list is small; a reader that still has the shorter one finds there all that was published when it began.
/// </summary>
internal sealed class AppendOnlyList<T>
{
    private const int SegmentBits = 12;
    private const int SegmentLength = 1 << SegmentBits;
    private const int FirstLength = 16;

    private T[][] segments = [new T[FirstLength]];
    private int count;

    public int Count => count;

    public ref T this[int index] => ref segments[index >> SegmentBits][index & (SegmentLength - 1)];

    [MethodImpl(FirstCall.Optimized)]
    public void Add(T item)
    {
        var (segment, at) = (count >> SegmentBits, count & (SegmentLength - 1));
        if (segment == segments.Length)
        {
            Publish([.. segments, new T[SegmentLength]]);
        }
        else if (at == segments[segment].Length)
        {
            var longer = segments[0];
            Array.Resize(ref longer, 2 * at);
            Publish([longer]);
        }
        segments[segment][at] = item;
        count++;
    }

    /// <summary>Removes all items, of a list that has no readers.</summary>
    public void Clear() => count = 0;

    private void Publish(T[][] value) => Volatile.Write(ref segments, value);
}
