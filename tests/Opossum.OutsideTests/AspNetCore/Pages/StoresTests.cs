using System.Net;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Opossum.Tests.Durability;
using Opossum.Tests.Subscriptions;

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>The stores on demand: their list, and the pages of the one that the path names.</summary>
public sealed partial class StoresTests
{
    [Fact]
    public async Task The_list_leads_to_the_pages_of_each_store()
    {
        await using var shops = await ShopApp.StartAsync();
        await shops.SetAsync("berlin", "b", "beer");
        await shops.SetAsync("ulm", "u", "bread");

        var list = await shops.App.GetAsync("/opossum/");
        Assert.Equal(["berlin", "ulm"], Links().Matches(list).Select(static match => match.Groups["name"].Value));
        Assert.Contains("Stores: 2. Open: 2, at most 100.", list, StringComparison.Ordinal);

        foreach (var (shop, mine, other) in new[] { ("berlin", "beer", "bread"), ("ulm", "bread", "beer") })
        {
            foreach (var path in (string[])["", "events/1", "projections/keyed-texts", $"projections/keyed-texts/state?key={shop[0]}"])
            {
                var text = await shops.App.GetAsync($"/opossum/{shop}/{path}");
                Assert.Contains(mine, text, StringComparison.Ordinal);
                Assert.DoesNotContain(other, text, StringComparison.Ordinal);
            }
            Assert.Contains($"<bdi>Opossum: {shop}</bdi>", await shops.App.GetAsync($"/opossum/{shop}/store"), StringComparison.Ordinal);
            Assert.Contains("<strong>Healthy</strong> The store is at position 1.", await shops.App.GetAsync($"/opossum/{shop}/store"),
                StringComparison.Ordinal);
            Assert.Contains("<td>Running</td>", await shops.App.GetAsync($"/opossum/{shop}/projections"), StringComparison.Ordinal);
        }
        Assert.Contains("<a href=\"./../\">All stores</a>", await shops.App.GetAsync("/opossum/ulm/"), StringComparison.Ordinal);
        Assert.Contains("<a href=\"../../\">All stores</a>", await shops.App.GetAsync("/opossum/ulm/events/1"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_list_opens_nothing_and_a_store_closes_after_its_pages_were_seen()
    {
        await using var first = await ShopApp.StartAsync();
        await first.SetAsync("berlin", "a", "text");
        await first.SetAsync("ulm", "a", "text");
        // Only one may be open, so a second one opens only when nobody uses the first.
        await using var app = await TestApp.StartAsync(static app => app.MapOpossumStores().AllowAnonymous(), (builder, _) =>
            builder.Services.AddOpossumStores(options => (options.Root, options.MaxOpen) = (first.Root, 1)));

        Assert.Contains("Stores: 2. Open: 0, at most 1.", await app.GetAsync("/opossum/"), StringComparison.Ordinal);
        Assert.Contains("Stores: 2. Open: 0, at most 1.", await app.GetAsync("/opossum/?name=b"), StringComparison.Ordinal);
        Assert.Contains("text-set", await app.GetAsync("/opossum/berlin/"), StringComparison.Ordinal);
        Assert.Contains("Open: 1, at most 1.", await app.GetAsync("/opossum/"), StringComparison.Ordinal);
        Assert.Contains("text-set", await app.GetAsync("/opossum/ulm/events/1"), StringComparison.Ordinal);
        Assert.Contains("Open: 1, at most 1.", await app.GetAsync("/opossum/"), StringComparison.Ordinal);
        await app.GetAsync("/opossum/berlin/opossum.css");
        Assert.Contains("text-set", await app.GetAsync("/opossum/berlin/events/1/download"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("..")]
    [InlineData("..\\..")]
    [InlineData("berlin.")]
    [InlineData("Berlin")]
    [InlineData("nul")]
    [InlineData("-x")]
    [InlineData("missing")]
    public async Task A_name_that_is_no_store_is_not_found_and_nothing_is_made(string name)
    {
        await using var shops = await ShopApp.StartAsync();
        await shops.SetAsync("berlin", "a", "text");
        var before = Entries();

        foreach (var path in (string[])["events/1", "store", "projections", "live"])
        {
            // A client would resolve the dots.
            var answer = await ((TestServer)shops.App.Services.GetRequiredService<IServer>()).SendAsync(http =>
                (http.Request.Method, http.Request.Path) = (HttpMethods.Get, $"/opossum/{name}/{path}"));
            Assert.Equal(StatusCodes.Status404NotFound, answer.Response.StatusCode);
        }

        Assert.Equal(before, Entries());

        // Not those in the store that is there: it has a projection, which writes when it likes.
        List<string> Entries() =>
            [.. Directory.GetFileSystemEntries(Path.GetDirectoryName(shops.Root)!).Concat(Directory.GetFileSystemEntries(shops.Root)).Order()];
    }

    [Fact]
    public async Task Many_stores_are_listed_some_at_a_time_and_found_by_the_beginning_of_their_names()
    {
        await using var shops = await ShopApp.StartAsync();
        for (var number = 0; number < 230; number++)
        {
            var folder = Directory.CreateDirectory(Path.Combine(shops.Root, $"shop-{number:D3}"));
            await File.WriteAllTextAsync(Path.Combine(folder.FullName, "store.json"), "{}");
        }

        var names = new List<string>();
        var path = "";
        for (var page = 1; page <= 3; page++)
        {
            var text = await shops.App.GetAsync($"/opossum/{path}");
            names.AddRange(Links().Matches(text).Select(static match => match.Groups["name"].Value));
            path = WebUtility.HtmlDecode(Next().Match(text).Groups["path"].Value);
        }

        Assert.Equal(Enumerable.Range(0, 230).Select(static number => $"shop-{number:D3}"), names);
        Assert.Equal("", path);
        var found = await shops.App.GetAsync("/opossum/?name=shop-22");
        Assert.Equal(10, Links().Count(found));
    }

    [Fact]
    public async Task A_store_that_cannot_be_opened_says_why()
    {
        await using var shops = await ShopApp.StartAsync();
        Directory.CreateDirectory(Path.Combine(shops.Root, "broken"));
        await File.WriteAllTextAsync(Path.Combine(shops.Root, "broken", "store.json"), "{}");

        var text = await shops.App.GetAsync("/opossum/broken/", HttpStatusCode.InternalServerError);

        Assert.Contains("The store cannot be read", text, StringComparison.Ordinal);
        Assert.Contains("store.json", text, StringComparison.Ordinal);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_store_for_which_there_is_no_place_for_now_is_503_and_a_warning()
    {
        var (logs, clock) = (new Logs(), new HandDrivenClock());
        await using var shops = await ShopApp.StartAsync(options => (options.MaxOpen, options.Store.TimeProvider) = (1, clock),
            build: stores => stores.Services.AddSingleton<ILoggerFactory>(logs));
        (await shops.Stores.OpenAsync("ulm", create: true)).Dispose();
        using var inUse = await shops.Stores.OpenAsync("berlin", create: true);

        var text = shops.App.GetAsync("/opossum/ulm/", HttpStatusCode.ServiceUnavailable);
        while (!text.IsCompleted)
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }

        Assert.Contains("1 stores are in use", await text, StringComparison.Ordinal);
        Assert.Equal([202], logs.Lines.Select(static line => line.Id).Where(static id => id is 201 or 202));
    }

    [Fact]
    public async Task Anonymous_visitors_see_no_name_and_open_no_store()
    {
        await using var shops = await ShopApp.StartAsync(map: static app => app.MapOpossumStores());
        Directory.CreateDirectory(Path.Combine(shops.Root, "secret"));
        await File.WriteAllTextAsync(Path.Combine(shops.Root, "secret", "store.json"), "{}");

        foreach (var path in (string[])["", "secret", "secret/", "secret/store", "secret/live", "secret/projections", "missing/"])
        {
            var text = await shops.App.GetAsync($"/opossum/{path}", HttpStatusCode.Forbidden);
            Assert.Contains("RequireAuthorization", text, StringComparison.Ordinal);
            if (path.Length == 0)
                Assert.DoesNotContain("secret", text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task The_list_without_a_slash_leads_to_the_one_with_it()
    {
        await using var shops = await ShopApp.StartAsync();

        foreach (var (path, location) in new[] { ("/opossum", "./opossum/"), ("/opossum/ulm", "./ulm/") })
        {
            using var response = await shops.App.Client.GetAsync(path);
            Assert.Equal((HttpStatusCode.TemporaryRedirect, location), (response.StatusCode, response.Headers.Location?.OriginalString));
        }
    }

    [Fact]
    public async Task An_app_without_stores_on_demand_is_told_when_it_starts()
    {
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(static () =>
            TestApp.StartAsync(static app => app.MapOpossumStores()));

        Assert.Contains("AddOpossumStores", refused.Message, StringComparison.Ordinal);
    }

    [GeneratedRegex("<li><a href=\"[a-z0-9-]+/\">(?<name>[a-z0-9-]+)</a></li>")]
    private static partial Regex Links();

    [GeneratedRegex("href=\"./(?<path>\\?[^\"]*)\">Next stores</a>")]
    private static partial Regex Next();
}
