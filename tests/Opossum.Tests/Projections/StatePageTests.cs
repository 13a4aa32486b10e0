using System.Text;
using Opossum.Projections;
using Opossum.Projections.Reading;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>Pages of stored states.</summary>
public sealed class StatePageTests : IDisposable
{
    private static readonly ProjectionOptions quick = new() { PollInterval = TimeSpan.FromMilliseconds(1), WriteInterval = TimeSpan.Zero };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Pages_contain_each_state_once_in_the_order_of_keys()
    {
        string[] keys = [.. Enumerable.Range(0, 25).Select(static number => $"k{number:D2}")];
        var projections = await BuildAsync([.. keys.Reverse()]);

        var read = new List<string>();
        string? after = null;
        var pages = 0;
        do
        {
            var page = await projections.ReadStatePageAsync(after: after, limit: 10, cancellationToken: Cancellation);
            read.AddRange(page.States.Select(static state => state.Key));
            after = page.Next;
            pages++;
        }
        while (after is not null);

        Assert.Equal(keys, read);
        Assert.Equal(3, pages);
    }

    [Fact]
    public async Task A_page_that_ends_with_the_last_state_is_the_last_one()
    {
        var projections = await BuildAsync("a", "b");

        Assert.Null((await projections.ReadStatePageAsync(limit: 2, cancellationToken: Cancellation)).Next);
        Assert.NotNull((await projections.ReadStatePageAsync(limit: 1, cancellationToken: Cancellation)).Next);
    }

    [Fact]
    public async Task A_beginning_finds_all_keys_that_have_it_and_no_others()
    {
        var longKey = "order-" + new string('x', 200);
        var otherLongKey = "order-" + new string('x', 190) + "y";
        var projections = await BuildAsync("order-1", "order-2", "Order-3", "orders", longKey, otherLongKey, "con", "conan", "é/1");

        Assert.Equal(["order-1", "order-2", longKey, otherLongKey], (await FindAsync("order-")).Order(StringComparer.Ordinal));
        Assert.Equal([longKey], await FindAsync(longKey[..200]));
        Assert.Equal([otherLongKey], await FindAsync(otherLongKey));
        Assert.Equal(["Order-3"], await FindAsync("Ord"));
        Assert.Equal(["con", "conan"], await FindAsync("con"));
        Assert.Equal(["é/1"], await FindAsync("é/"));
        Assert.Empty(await FindAsync("nothing"));

        async Task<List<string>> FindAsync(string start) =>
            [.. (await projections.ReadStatePageAsync(start, cancellationToken: Cancellation)).States.Select(static state => state.Key)];
    }

    [Fact]
    public async Task A_stored_state_has_its_position_its_tags_and_its_JSON()
    {
        var projections = await BuildAsync("a", "b");

        var state = (await projections.GetStoredStateAsync("b", Cancellation))!;

        Assert.Equal(("b", 2L, """{"number":1,"first":2}"""), (state.Key, state.Position, Encoding.UTF8.GetString(state.State)));
        Assert.Equal([new Tag("parity", "odd"), new Tag("first", "2")], state.Tags);
        Assert.Null(await projections.GetStoredStateAsync("c", Cancellation));
    }

    [Fact]
    public async Task Deleted_states_are_on_no_page()
    {
        var writer = place.Open();
        await writer.AppendAsync([Counts.Counted("a", "b", "c"), Counts.Deleted("a", "c")], cancellationToken: Cancellation);
        await using (var running = writer.StartProjections([new Counts()], quick))
            await writer.Projections.Get<Count>().WaitForAsync(2, Cancellation);

        var page = await writer.Projections["counts"].ReadStatePageAsync(limit: 1, cancellationToken: Cancellation);

        Assert.Equal("b", Assert.Single(page.States).Key);
        Assert.Null(page.Next);
        Assert.Null(await writer.Projections["counts"].GetStoredStateAsync("a", Cancellation));
    }

    [Theory]
    [InlineData(2, "ab cd e")]
    [InlineData(1, "a b c d e")]
    // One that is larger than a page is alone on it.
    [InlineData(0, "a b c d e")]
    public async Task States_that_are_large_share_a_page_with_few_others(int statesAPage, string pages)
    {
        var states = await BuildAsync([.. "abcde".Select(static key => $"{key}")]);
        var length = (await states.GetStoredStateAsync("a", Cancellation))!.State.Length;

        Assert.Equal(pages, string.Join(' ', await ReadPagesAsync("", new StatePageSizes { BytesMax = statesAPage * length })));
    }

    [Theory]
    [InlineData(12, 3)]
    [InlineData(10, 2)]
    public async Task More_files_than_a_page_looks_at_are_read_by_the_next_pages(int count, int pages)
    {
        // Of keys so long, only the key in the file shows its end.
        string[] keys = [.. Enumerable.Range(0, count).Select(static number => $"{new string('k', 150)}{number:D4}")];
        await BuildAsync(keys);

        foreach (var key in keys)
        {
            var read = await ReadPagesAsync(key, new StatePageSizes { FilesMax = 5 });
            Assert.Equal((pages, key), (read.Count, string.Concat(read)));
        }
    }

    [Fact]
    public async Task What_cannot_be_is_refused()
    {
        var projections = await BuildAsync("a");

        await Assert.ThrowsAsync<ArgumentException>(() => projections.ReadStatePageAsync(after: "../a", cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(() => projections.ReadStatePageAsync("\ud800", cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => projections.ReadStatePageAsync(limit: 0, cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(() => projections.GetStoredStateAsync("", Cancellation));
    }

    private async Task<ProjectionHandle> BuildAsync(params string[] keys)
    {
        var writer = place.Open();
        foreach (var key in keys)
            await writer.AppendAsync([Counts.Counted(key)], cancellationToken: Cancellation);
        await using (var running = writer.StartProjections([new Counts()], quick))
            await writer.Projections.Get<Count>().WaitForAsync(keys.Length, Cancellation);
        await writer.DisposeAsync();
        return place.Open(options => options.ReadOnly = true).Projections["counts"];
    }

    // The keys on each page.
    private async Task<List<string>> ReadPagesAsync(string keyStart, StatePageSizes sizes)
    {
        var host = place.Open().ProjectionHost(new ProjectionOptions()) with { Pages = sizes };
        var reader = await ProjectionReader.Open(host, static () => []).FindAsync("counts", Cancellation);
        var pages = new List<string>();
        string? after = null;
        do
        {
            var page = await reader.ReadPageAsync(keyStart, after, limit: 100, Cancellation);
            pages.Add(string.Concat(page.States.Select(static state => state.Key)));
            after = page.Next;
        }
        while (after is not null);
        return pages;
    }
}
