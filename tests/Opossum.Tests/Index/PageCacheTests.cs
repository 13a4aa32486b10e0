using Opossum.Storage.Index;

namespace Opossum.Tests.Index;

public sealed class PageCacheTests
{
    private const int PagesMax = 16;

    private readonly PageCache cache = new(PagesMax * (long)RunPage.Length);

    [Fact]
    public void Pages_in_use_stay_and_no_more_are_kept_than_allowed()
    {
        var (pages, others) = (new CachedPages(200), new CachedPages(200));
        byte[] used = [1], once = [2];
        cache.Add(pages, 0, used, chances: 0);
        cache.Add(pages, 1, once, chances: 0);
        for (var number = 2; number < 200; number++)
        {
            Assert.Same(used, pages.Find(0, chancesNow: 1));
            cache.Add(number % 2 == 0 ? pages : others, number, [3], chances: 0);
            Assert.InRange(Kept(pages) + Kept(others), 1, PagesMax);
        }
        Assert.Null(pages.Find(1, chancesNow: 0));
        Assert.Equal(PagesMax, Kept(pages) + Kept(others));
    }

    [Fact]
    public void Page_with_more_chances_stays_longer()
    {
        var pages = new CachedPages(200);
        cache.Add(pages, 0, [0], chances: 3);
        cache.Add(pages, 1, [1], chances: 0);
        for (var number = 2; number < 2 + 2 * PagesMax; number++)
            cache.Add(pages, number, [2], chances: 0);

        Assert.NotNull(pages.Find(0, chancesNow: 0));
        Assert.Null(pages.Find(1, chancesNow: 0));
        for (var number = 100; number < 100 + 4 * PagesMax; number++)
            cache.Add(pages, number, [2], chances: 0);
        Assert.Null(pages.Find(0, chancesNow: 0));
    }

    [Fact]
    public void Number_beyond_the_last_page_finds_none()
    {
        var pages = new CachedPages(2);
        cache.Add(pages, 1, [1], chances: 0);

        Assert.Null(pages.Find(2, chancesNow: 1));
        Assert.Null(pages.Find(-1, chancesNow: 1));
    }

    [Fact]
    public void Threads_that_replace_each_others_pages_find_the_right_ones()
    {
        CachedPages[] runs = [new(100), new(100), new(100)];
        Parallel.For(0, 4, thread =>
        {
            var random = new Random(Seed.Value + thread);
            for (var round = 0; round < 20_000; round++)
            {
                var (run, number) = (random.Next(runs.Length), random.Next(100));
                if (runs[run].Find(number, chancesNow: 1) is { } page)
                    Assert.Equal([(byte)run, (byte)number], page);
                else
                    cache.Add(runs[run], number, [(byte)run, (byte)number], (byte)random.Next(4));
            }
        });
        Assert.InRange(runs.Sum(Kept), 1, PagesMax);
    }

    private static int Kept(CachedPages pages) => Enumerable.Range(0, 200).Count(number => pages.Find(number, chancesNow: 0) is not null);
}
