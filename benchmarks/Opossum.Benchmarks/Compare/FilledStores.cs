using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Compare;

/// <summary>Stores with many events, filled without flushing. Stores from an earlier run are reused if their content is as expected.</summary>
internal sealed class FilledStores(WorkFolder folder, CancellationToken cancellationToken)
{
    private const int Chunk = 1000;

    private readonly Dictionary<string, EventFeed> feeds = [];

    /// <summary>Opens a contender's store with the given number of events, and at most a tenth more.</summary>
    /// <param name="name">A <see cref="ContenderName"/> that is a store.</param>
    /// <param name="events">How many.</param>
    /// <param name="makeFeed">Makes the feed that its events come from.</param>
    /// <param name="label">Distinguishes stores of the same size with different feeds.</param>
    public async Task<Entrant> OpenAsync(string name, int events, Func<EventFeed> makeFeed, string label = "")
    {
        var path = PathOf(name, events, label);
        if (feeds.TryGetValue(path, out var known))
            return await Entrant.OpenAsync(name, path, known);
        var feed = makeFeed();
        if (!Directory.Exists(path) || !await HoldsWhatItShouldAsync(name, path, events, feed))
            await FillAsync(name, path, events, feed = makeFeed());
        feeds.Add(path, feed);
        return await Entrant.OpenAsync(name, path, feed);
    }

    public void DeleteUnlessKept(string name, int events, string label = "")
    {
        if (folder.IsKept)
            return;
        var path = PathOf(name, events, label);
        feeds.Remove(path);
        WorkFolder.Delete(path);
    }

    private string PathOf(string name, int events, string label) => folder.Below($"{name}-{events}{label}");

    private async Task FillAsync(string name, string path, int events, EventFeed feed)
    {
        WorkFolder.Delete(path);
        await using (var filling = await Entrant.OpenAsync(name, path, feed, flush: false))
        {
            for (var begun = 0; begun < events; begun += Chunk)
            {
                cancellationToken.ThrowIfCancellationRequested();
                await filling.AppendAsync(AppendWay.Alone, Math.Min(Chunk, events - begun));
            }
        }
        folder.Settle();
        await using var filled = await Entrant.OpenAsync(name, path, feed);
        await filled.VerifyAsync();
    }

    // The same feed makes the same events each time, so the feed's digest of that many events states what the store should hold.
    private static async Task<bool> HoldsWhatItShouldAsync(string name, string path, int events, EventFeed feed)
    {
        await using var contender = await Contender.OpenAsync(name, path);
        var stored = await contender.ReadBackAsync();
        if (stored.Events < events || stored.Events > events + events / 10)
            return false;
        while (feed.Digest.Events < stored.Events)
            feed.Take(Math.Min(Chunk, stored.Events - feed.Digest.Events));
        return feed.Digest == stored;
    }
}
