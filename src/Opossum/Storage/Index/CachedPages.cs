using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>The pages of one run that are in memory.</summary>
/// <remarks>Read by several threads without a lock; the cache changes it under its own.</remarks>
internal sealed class CachedPages(int pageCount)
{
    // How often the hand of the clock passes a page before it is given up. A use that is lost to another thread makes it go earlier, no more.
    private byte[] chances = [];
    // Empty until there is one: most openings ask a run for nothing.
    private byte[]?[] pages = [];

    /// <summary>A page; null when it is not in memory.</summary>
    /// <param name="number">Its number; it may be wrong.</param>
    /// <param name="chancesNow">How often the hand passes it from now on.</param>
    [MethodImpl(FirstCall.Optimized)]
    public byte[]? Find(int number, byte chancesNow)
    {
        var known = Volatile.Read(ref pages);
        if ((uint)number >= (uint)known.Length || Volatile.Read(ref known[number]) is not { } page)
            return null;
        if (chances[number] < chancesNow)
            chances[number] = chancesNow;
        return page;
    }

    /// <summary>Adds a page; false when it is there.</summary>
    public bool TryPut(int number, byte[] page, byte chancesNow)
    {
        if (pages.Length == 0)
        {
            chances = new byte[pageCount];
            Volatile.Write(ref pages, new byte[]?[pageCount]);
        }
        if (pages[number] is not null)
            return false;
        chances[number] = chancesNow;
        Volatile.Write(ref pages[number], page);
        return true;
    }

    /// <summary>Takes one of its chances from a page; true when it had none, and is removed.</summary>
    public bool TryRemove(int number)
    {
        if (chances[number] > 0)
        {
            chances[number]--;
            return false;
        }
        Volatile.Write(ref pages[number], null);
        return true;
    }
}
