using Opossum.Storage.Folders;
using Opossum.Storage.Index;

namespace Opossum.Tests.Index;

public sealed class PageCacheTests
{
    private const int PagesMax = 16, SharedMax = 12;

    private readonly PageCache cache = new(PagesMax * (long)RunPage.Length, new SlowReads(TimeProvider.System));

    [Fact]
    public void Never_more_pages_are_kept_than_allowed()
    {
        var (pages, others) = (new CachedPages(200), new CachedPages(200));
        for (var number = 0; number < 200; number++)
        {
            cache.Add(number % 2 == 0 ? pages : others, number, [3], isShared: number % 3 == 0);
            Assert.InRange(Kept(pages) + Kept(others), 1, PagesMax);
        }
    }

    [Fact]
    public void Pages_in_use_stay_and_no_more_are_kept_than_allowed()
    {
        var (pages, others) = (new CachedPages(200), new CachedPages(200));
        byte[] used = [1], once = [2];
        cache.Add(pages, 0, used, isShared: false);
        cache.Add(pages, 1, once, isShared: false);
        for (var number = 2; number < 200; number++)
        {
            Assert.Same(used, pages.Find(0));
            cache.Add(number % 2 == 0 ? pages : others, number, [3], isShared: false);
        }
        Assert.Null(pages.Find(1));
        Assert.Equal(PagesMax, Kept(pages) + Kept(others));
    }

    [Fact]
    public void Shared_pages_give_way_to_others_when_they_take_more_than_three_quarters()
    {
        var (shared, others) = (new CachedPages(200), new CachedPages(200));
        for (var number = 0; number < SharedMax; number++)
            cache.Add(shared, number, [0], isShared: true);
        for (var number = 0; number < 100; number++)
            cache.Add(others, number, [1], isShared: false);

        Assert.Equal((SharedMax, PagesMax - SharedMax), (Kept(shared), Kept(others)));
        for (var number = SharedMax; number < 200; number++)
            cache.Add(shared, number, [0], isShared: true);
        for (var number = 100; number < 200; number++)
            cache.Add(others, number, [1], isShared: false);
        Assert.Equal((SharedMax, PagesMax - SharedMax), (Kept(shared), Kept(others)));
    }

    [Fact]
    public void Shared_pages_of_a_run_that_was_replaced_go_first()
    {
        var (replaced, others) = (new CachedPages(200), new CachedPages(200));
        for (var number = 0; number < SharedMax; number++)
            cache.Add(replaced, number, [0], isShared: true);
        replaced.GiveUp();
        for (var number = 0; number < PagesMax; number++)
            cache.Add(others, number, [1], isShared: false);

        Assert.Equal((0, PagesMax), (Kept(replaced), Kept(others)));
    }

    [Fact]
    public void Number_beyond_the_last_page_finds_none()
    {
        var pages = new CachedPages(2);
        cache.Add(pages, 1, [1], isShared: false);

        Assert.Null(pages.Find(2));
        Assert.Null(pages.Find(-1));
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
                if (runs[run].Find(number) is { } page)
                    Assert.Equal([(byte)run, (byte)number], page);
                else
                    cache.Add(runs[run], number, [(byte)run, (byte)number], random.Next(2) == 0);
            }
        });
        Assert.InRange(runs.Sum(Kept), 1, PagesMax);
    }

    private static int Kept(CachedPages pages) => Enumerable.Range(0, 200).Count(number => pages.Find(number) is not null);
}
