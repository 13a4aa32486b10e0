using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>Pages of runs in memory, at most so many. A page is kept in one of eight places; one that was not used lately is replaced.</summary>
/// <remarks>Used by several threads without a lock: a page that two of them replace at once is only read again.</remarks>
internal sealed class PageCache
{
    private const int Ways = 8;

    private readonly Page?[] pages;
    // The keys of the pages side by side, where a processor reads them at once. They may be out of date; those of the pages decide.
    private readonly long[] keys;
    private readonly int setMask;

    public PageCache(long bytesMax)
    {
        var sets = 1;
        while (sets * 2L * Ways * RunPage.Length <= bytesMax)
            sets *= 2;
        pages = new Page?[sets * Ways];
        keys = new long[sets * Ways];
        setMask = sets - 1;
    }

    private sealed class Page(long key, byte[] bytes)
    {
        public readonly long Key = key;
        public readonly byte[] Bytes = bytes;
        public bool WasUsed = true;
    }

    /// <summary>A page of a run; null when it is not in memory.</summary>
    [MethodImpl(FirstCall.Optimized)]
    public byte[]? Find(int run, int number)
    {
        var key = KeyOf(run, number);
        var set = SetOf(key);
        var at = keys.AsSpan(set, Ways).IndexOf(key);
        if (at < 0 || Volatile.Read(ref pages[set + at]) is not { } page || page.Key != key)
            return null;
        if (!page.WasUsed)
            page.WasUsed = true;
        return page.Bytes;
    }

    public void Add(int run, int number, byte[] bytes)
    {
        var key = KeyOf(run, number);
        var set = SetOf(key);
        var start = Random.Shared.Next(Ways);
        var chosen = start;
        for (var tries = 0; tries < Ways; tries++)
        {
            var at = (start + tries) % Ways;
            if (pages[set + at] is { WasUsed: true } used)
            {
                used.WasUsed = false;
                continue;
            }
            chosen = at;
            break;
        }
        Volatile.Write(ref pages[set + chosen], new Page(key, bytes));
        Volatile.Write(ref keys[set + chosen], key);
    }

    private static long KeyOf(int run, int number) => (long)run << 32 | (uint)number;

    private int SetOf(long key) => (int)((ulong)key * 0x9E3779B97F4A7C15 >> 40 & (uint)setMask) * Ways;
}
