using System.Diagnostics;
using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>The positions of all events with one type or one tag, ascending. One writer; readers take <see cref="ArrayPostings"/> of it.</summary>
internal struct PostingList
{
    private int[]? positions;
    private int count;
    private int first;

    /// <summary>Adds a position, which is not before the last one. Does nothing if it is the last one: a forged frame names a tag twice.</summary>
    public void Add(int position)
    {
        Debug.Assert(position >= Last, "Positions of a type or tag are added in ascending order.");
        if (count == 0)
            first = position;
        else if (position == Last)
            return;
        else
            AddToArray(position);
        Volatile.Write(ref count, count + 1);
    }

    /// <summary>The highest position; 0 when there is none.</summary>
    public readonly int Last
    {
        get
        {
            var known = Volatile.Read(in count);
            return known switch { 0 => 0, 1 => first, _ => Volatile.Read(in positions)![known - 1] };
        }
    }

    public readonly ArrayPostings UpTo(int head)
    {
        // The count before the array, which then holds at least that many.
        var known = Volatile.Read(in count);
        var array = known == 1 ? [first] : Volatile.Read(in positions) ?? [];
        if (known > 0 && array[known - 1] > head)
        {
            var found = array.AsSpan(0, known).BinarySearch(head);
            known = found >= 0 ? found + 1 : ~found;
        }
        return new ArrayPostings(array, known);
    }

    [MethodImpl(FirstCall.Optimized)]
    private void AddToArray(int position)
    {
        if (positions is null)
        {
            positions = [first, position, 0, 0];
            return;
        }
        if (count == positions.Length)
        {
            var longer = new int[count + Math.Max(4, count / 2)];
            positions.AsSpan().CopyTo(longer);
            longer[count] = position;
            Volatile.Write(ref positions, longer);
            return;
        }
        positions[count] = position;
    }
}
