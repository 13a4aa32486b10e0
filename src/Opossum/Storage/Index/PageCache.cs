namespace Opossum.Storage.Index;

/// <summary>
/// Which pages of runs are in memory: at most a fixed number. All have a place on a clock, whose hand looks for one that was not used
/// lately when another is read. Shared pages, which most lookups use, give way to others only when they take more than three quarters.
/// </summary>
internal sealed class PageCache
{
    private const int PagesMin = 8;

    private readonly Lock gate = new();
    private readonly int pagesMax;
    private (CachedPages? Run, int Number, bool IsShared)[]? clock;
    private int shared;
    private int hand;

    /// <param name="bytesMax">The most bytes of pages.</param>
    public PageCache(long bytesMax, SlowReads slowReads)
    {
        SlowReads = slowReads;
        pagesMax = (int)Math.Clamp(bytesMax / RunPage.Length, PagesMin, Array.MaxLength);
    }

    public SlowReads SlowReads { get; }

    /// <summary>Keeps a page in place of another one.</summary>
    /// <param name="isShared">Whether most lookups in the run use it.</param>
    public void Add(CachedPages run, int number, byte[] page, bool isShared)
    {
        lock (gate)
        {
            // Another thread may have read it, too.
            if (!run.TryPut(number, page, isShared))
                return;
            // A store without runs has no pages.
            clock ??= new (CachedPages?, int, bool)[pagesMax];
            while (!TryEmpty(ref clock[hand]))
                Turn();
            clock[hand] = (run, number, isShared);
            shared += isShared ? 1 : 0;
            Turn();
        }
    }

    private bool TryEmpty(ref (CachedPages? Run, int Number, bool IsShared) place)
    {
        if (place.Run is not { } run)
            return true;
        if (place.IsShared && shared <= pagesMax / 4 * 3 && !run.AreGivenUp || !run.TryRemove(place.Number))
            return false;
        shared -= place.IsShared ? 1 : 0;
        return true;
    }

    private void Turn() => hand = hand + 1 == pagesMax ? 0 : hand + 1;
}
