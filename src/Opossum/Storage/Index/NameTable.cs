using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>Names numbered in order of appearance: UTF-8 texts in one block, found by hash.</summary>
/// <remarks>One writer; readers need no lock for published names.</remarks>
internal sealed class NameTable
{
    private const int SlotsAtFirst = 64;

    private readonly AppendOnlyList<int> ends = new();
    private byte[] texts = new byte[1024];
    private int textsLength;
    private int[] slots = new int[SlotsAtFirst];

    public int Count => ends.Count;

    /// <summary>Adds a name and gives it the next number.</summary>
    [MethodImpl(FirstCall.Optimized)]
    public int Add(ReadOnlySpan<byte> text)
    {
        if (textsLength > Array.MaxLength - text.Length)
            throw new InvalidOperationException("The names of all tags together are longer than 2 GiB, the most that one store can hold.");
        if (texts.Length - textsLength < text.Length)
        {
            var longer = new byte[(int)Math.Min(Math.Max(texts.Length * 2L, (long)textsLength + text.Length), Array.MaxLength)];
            texts.AsSpan(0, textsLength).CopyTo(longer);
            Volatile.Write(ref texts, longer);
        }
        text.CopyTo(texts.AsSpan(textsLength));
        textsLength += text.Length;
        var number = ends.Count;
        ends.Add(textsLength);
        if (ends.Count * 2 > slots.Length)
            Grow();
        else
            Insert(slots, text, number);
        return number;
    }

    [MethodImpl(FirstCall.Optimized)]
    public int Find(ReadOnlySpan<byte> text)
    {
        var table = Volatile.Read(ref slots);
        for (var slot = Hash(text) & (table.Length - 1); ; slot = (slot + 1) & (table.Length - 1))
        {
            var entry = Volatile.Read(ref table[slot]);
            if (entry == 0)
                return -1;
            if (Text(entry - 1).SequenceEqual(text))
                return entry - 1;
        }
    }

    public ReadOnlySpan<byte> Text(int number)
    {
        var start = number == 0 ? 0 : ends[number - 1];
        return Volatile.Read(ref texts).AsSpan(start, ends[number] - start);
    }

    /// <summary>Removes all names, of a table that has no readers.</summary>
    public void Clear()
    {
        ends.Clear();
        textsLength = 0;
        if (slots.Length > SlotsAtFirst)
            slots = new int[SlotsAtFirst];
        else
            Array.Clear(slots);
    }

    [MethodImpl(FirstCall.Optimized)]
    private void Grow()
    {
        var longer = new int[slots.Length * 2];
        for (var number = 0; number < ends.Count; number++)
            Insert(longer, Text(number), number);
        Volatile.Write(ref slots, longer);
    }

    private static void Insert(int[] table, ReadOnlySpan<byte> text, int number)
    {
        var slot = Hash(text) & (table.Length - 1);
        while (table[slot] != 0)
            slot = (slot + 1) & (table.Length - 1);
        Volatile.Write(ref table[slot], number + 1);
    }

    // Each process uses its own seed, so that no choice of tags makes the table slow.
    private static int Hash(ReadOnlySpan<byte> text)
    {
        var hash = new HashCode();
        hash.AddBytes(text);
        return hash.ToHashCode();
    }
}
