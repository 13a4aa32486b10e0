using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// A list that only grows, so readers need no lock: one writer, any number of readers of published items. A reader that still has the shorter array
/// finds there all that was published when it began.
/// </summary>
internal sealed class AppendOnlyList<T>
{
    private T[] items = new T[16];

    public int Count { get; private set; }

    public ref T this[int index] => ref items[index];

    [MethodImpl(FirstCall.Optimized)]
    public void Add(T item)
    {
        if (Count == items.Length)
        {
            var longer = items;
            Array.Resize(ref longer, 2 * Count);
            Volatile.Write(ref items, longer);
        }
        items[Count++] = item;
    }

    /// <summary>Removes all items, of a list that has no readers.</summary>
    public void Clear() => Count = 0;
}
