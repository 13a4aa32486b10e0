namespace Opossum.Storage.Index;

/// <summary>
/// Which pages of runs are in memory: at most so many. All have a place on a clock, whose hand looks for one that was not used lately when another is
/// read.
/// </summary>
internal sealed class PageCache
{
    private const int PagesMin = 8;

    private readonly Lock gate = new();
    private readonly (CachedPages? Run, int Number)[] clock;
    private int hand;

    public PageCache(long bytesMax)
    {
        clock = new (CachedPages?, int)[(int)Math.Clamp(bytesMax / RunPage.Length, PagesMin, Array.MaxLength)];
    }

    /// <summary>Keeps a page in place of another one.</summary>
    public void Add(CachedPages run, int number, byte[] page, byte chances)
    {
        lock (gate)
        {
            // Another thread may have read it, too.
            if (!run.TryPut(number, page, chances))
                return;
            while (clock[hand].Run is { } used && !used.TryRemove(clock[hand].Number))
                Turn();
            clock[hand] = (run, number);
            Turn();
        }
    }

    private void Turn() => hand = hand + 1 == clock.Length ? 0 : hand + 1;
}
