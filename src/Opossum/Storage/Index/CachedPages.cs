using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>The pages of one run that are in memory.</summary>
/// <remarks>Read by several threads without a lock; the cache changes it under its own.</remarks>
internal sealed class CachedPages(int pageCount)
{
    // Whether a page was used since the hand of the clock last passed it. A use that is lost to another thread makes it go earlier, no more.
    private bool[] used = [];
    // Empty until there is one: most openings ask a run for nothing.
    private byte[]?[] pages = [];
    private volatile bool areGivenUp;

    /// <summary>Whether another run took the place of this one, so that its pages go first.</summary>
    public bool AreGivenUp => areGivenUp;

    /// <summary>A page; null when it is not in memory.</summary>
    /// <param name="number">Its number; it may be wrong.</param>
    [MethodImpl(FirstCall.Optimized)]
    public byte[]? Find(int number)
    {
        var known = Volatile.Read(ref pages);
        if ((uint)number >= (uint)known.Length || Volatile.Read(ref known[number]) is not { } page)
            return null;
        if (!used[number])
            used[number] = true;
        return page;
    }

    /// <summary>Adds a page; false when it is there.</summary>
    /// <param name="isUsed">Whether it counts as used; if not, and if there is no use, it is the first one to go.</param>
    public bool TryPut(int number, byte[] page, bool isUsed)
    {
        if (pages.Length == 0)
        {
            used = new bool[pageCount];
            Volatile.Write(ref pages, new byte[]?[pageCount]);
        }
        if (pages[number] is not null)
            return false;
        used[number] = isUsed;
        Volatile.Write(ref pages[number], page);
        return true;
    }

    /// <summary>Removes a page that was not used; true when it is removed. One that was used counts as not used from now on.</summary>
    public bool TryRemove(int number)
    {
        if (used[number] && !areGivenUp)
        {
            used[number] = false;
            return false;
        }
        Volatile.Write(ref pages[number], null);
        return true;
    }

    /// <summary>Lets all pages go first.</summary>
    public void GiveUp() => areGivenUp = true;
}
