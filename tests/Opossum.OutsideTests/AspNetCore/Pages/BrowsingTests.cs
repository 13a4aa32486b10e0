using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Opossum.AspNetCore.Pages;

namespace Opossum.AspNetCoreTests.Pages;

public sealed partial class BrowsingTests
{
    [Fact]
    public async Task Older_and_newer_pages_show_each_event_once()
    {
        await using var app = await PageApp.StartAsync();
        await AppendManyAsync(app, 237);

        var seen = new List<long>();
        var address = "/opossum/";
        var pages = 0;
        for (; address is not null; pages++)
        {
            var text = await app.GetAsync(address);
            seen.AddRange(PositionsIn(text));
            address = Link(text, "Older");
        }
        Assert.Equal((5, 237), (pages, seen.Count));
        Assert.Equal(Enumerable.Range(1, 237).Select(static each => (long)each).Reverse(), seen);

        var back = new List<long>();
        for (address = "/opossum/?after=0"; address is not null; pages--)
        {
            var text = await app.GetAsync(address);
            back.InsertRange(0, PositionsIn(text));
            address = Link(text, "Newer");
        }
        Assert.Equal((0, 237), (pages, back.Count));
        Assert.Equal(seen, back);
    }

    [Fact]
    public async Task Events_are_found_by_type_tag_and_position()
    {
        await using var app = await PageApp.StartAsync();
        await AppendManyAsync(app, 60);

        Assert.Equal([60, 57, 54], PositionsIn(await app.GetAsync("/opossum/?type=type-0")).Take(3));
        Assert.Equal([47, 37, 27, 17, 7], PositionsIn(await app.GetAsync("/opossum/?tag=ten%3A7&position=56")));
        Assert.Equal([27], PositionsIn(await app.GetAsync("/opossum/?type=type-0&tag=ten%3A7&tag=all%3Ayes&before=30&after=&since=")).Take(1));
        Assert.Equal([], PositionsIn(await app.GetAsync("/opossum/?type=unknown")));
        Assert.Equal(Enumerable.Range(11, 50).Select(static each => (long)each).Reverse(), PositionsIn(await app.GetAsync("/opossum/?position=9999")));
    }

    [Fact]
    public async Task Tags_of_rules_are_shown_and_found_like_others()
    {
        await using var app = await PageApp.StartAsync(static (builder, _) =>
            builder.Services.Configure<OpossumOptions>(static options => options.TagRules.Add(new TagRule("type-0", "number", "of-rule"))));
        await AppendManyAsync(app, 9);

        var address = Regex.Match(await app.GetAsync("/opossum/events/6"), "href=\"([^\"]*)\"><bdi>of-rule:6</bdi>").Groups[1].Value;
        Assert.Equal([6], PositionsIn(await app.GetAsync("/opossum/events/" + WebUtility.HtmlDecode(address))));
    }

    [Fact]
    public async Task Events_are_found_by_time()
    {
        var clock = new SteppedClock();
        await using var app = await PageApp.StartAsync((builder, _) =>
            builder.Services.Configure<OpossumOptions>(options => options.TimeProvider = clock));
        for (var minute = 0; minute < 30; minute++)
        {
            clock.Now = SteppedClock.Begin.AddMinutes(minute);
            await app.AppendAsync("passed");
        }

        Assert.Equal([16, 15, 14, 13, 12, 11], PositionsIn(await app.GetAsync("/opossum/?since=2026-01-31T18:10&until=2026-01-31T18:15:00")));
        Assert.Equal([30], PositionsIn(await app.GetAsync("/opossum/?since=2026-01-31T18:28:00.0000001")));
        Assert.Equal([], PositionsIn(await app.GetAsync("/opossum/?since=2026-02-01")));
        Assert.Equal([], PositionsIn(await app.GetAsync("/opossum/?until=2026-01-31T17:59:59")));
        Assert.Equal(30, PositionsIn(await app.GetAsync("/opossum/?until=9999-12-31T23:59:59.9999999")).Count);
    }

    // As of a store with more events than are judged one by one.
    [Fact]
    public async Task Times_in_a_large_store_are_found_by_samples_and_the_page_says_so_unless_they_are_out_of_order()
    {
        const string address = "/opossum/?since=2026-01-31T18:10&until=2026-01-31T18:12";
        const string said = "found by samples";
        var clock = new SteppedClock();
        await using var app = await TestApp.StartAsync(
            static app => new StorePages(new HostedStoreSource(null), withActions: false, isBelow: true) { EventsJudgedMax = 3 }
                .Map((RouteGroupBuilder)app.MapGroup("/opossum").AllowAnonymous()),
            (builder, _) => builder.Services.Configure<OpossumOptions>(options => options.TimeProvider = clock));
        for (var minute = 0; minute < 30; minute++)
        {
            clock.Now = SteppedClock.Begin.AddMinutes(minute);
            await app.AppendAsync("passed");
        }

        var inOrder = await app.GetAsync(address);
        clock.Now = SteppedClock.Begin.AddDays(-400);
        await app.AppendAsync("imported");
        clock.Now = SteppedClock.Begin.AddMinutes(11);
        await app.AppendAsync("imported");
        var outOfOrder = await app.GetAsync(address);

        Assert.Equal([13, 12, 11], PositionsIn(inOrder));
        Assert.Contains(said, inOrder, StringComparison.Ordinal);
        Assert.Equal([32, 13, 12, 11], PositionsIn(outOfOrder));
        Assert.DoesNotContain(said, outOfOrder, StringComparison.Ordinal);
        Assert.DoesNotContain(said, await app.GetAsync("/opossum/"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("since=yesterday", "This must be a date and a time in UTC")]
    [InlineData("position=-1", "A position is a whole number")]
    [InlineData("position=9223372036854775807", "A position is a whole number")]
    [InlineData("after=1e3", "A position is a whole number")]
    [InlineData("tag=:course", "key is empty")]
    [InlineData("tag=%3Ac1", "The tag&#x27;s key is empty")]
    public async Task What_is_not_understood_is_400_and_said_at_its_field(string query, string message)
    {
        await using var app = await PageApp.StartAsync();
        await app.AppendAsync("defined");

        var text = await app.GetAsync($"/opossum/?{query}", HttpStatusCode.BadRequest);

        Assert.Contains(message, text, StringComparison.Ordinal);
        Assert.DoesNotContain("Parameter", text, StringComparison.Ordinal);
        Assert.Empty(PositionsIn(text));
    }

    [Theory]
    [InlineData("/opossum", "./opossum/")]
    [InlineData("/opossum?type=a%20b", "./opossum/?type=a%20b")]
    public async Task The_address_without_a_slash_leads_to_the_one_with_it(string address, string target)
    {
        await using var app = await PageApp.StartAsync();

        using var response = await app.Client.GetAsync(address);

        Assert.Equal(HttpStatusCode.TemporaryRedirect, response.StatusCode);
        Assert.Equal(target, response.Headers.Location?.OriginalString);
    }

    [Fact]
    public async Task Each_link_of_each_page_leads_somewhere_also_under_a_path_base()
    {
        await using var app = await TestApp.StartAsync(static app =>
        {
            app.UsePathBase("/base");
            app.UseRouting();
            app.MapOpossum("/tools/opossum").AllowAnonymous();
        });
        await AppendManyAsync(app, 120);

        var left = new Queue<Uri>([new Uri(app.Client.BaseAddress!, "/base/tools/opossum/")]);
        var seen = new HashSet<Uri>(left);
        while (left.TryDequeue(out var address) && seen.Count < 400)
        {
            using var response = await app.Client.GetAsync(address);
            Assert.True(response.IsSuccessStatusCode, $"{address} is {(int)response.StatusCode}.");
            if (response.Content.Headers.ContentType?.MediaType != "text/html")
                continue;
            foreach (Match link in Address().Matches(await response.Content.ReadAsStringAsync()))
            {
                var target = new Uri(address, WebUtility.HtmlDecode(link.Groups["to"].Value));
                Assert.StartsWith("/base/tools/opossum/", target.AbsolutePath, StringComparison.Ordinal);
                if (seen.Add(target))
                    left.Enqueue(target);
            }
        }
        Assert.Contains(seen, static each => each.AbsolutePath.EndsWith("/events/120", StringComparison.Ordinal));
        Assert.Contains(seen, static each => each.AbsolutePath.EndsWith("/opossum.css", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_download_that_fails_has_no_beginning()
    {
        var http = new DefaultHttpContext { Response = { Body = new MemoryStream() } };
        var page = new PageRequest(http, storeName: null, places: [], depth: 0);

        await Assert.ThrowsAsync<FormatException>(() => page.WriteDownloadAsync("x", static writer =>
        {
            writer.WriteString("text", new string('x', 100_000));
            throw new FormatException();
        }));

        await http.Response.BodyWriter.FlushAsync();
        Assert.Equal(0, http.Response.Body.Length);
    }

    [Fact]
    public async Task An_event_is_shown_with_its_JSON_and_can_be_downloaded()
    {
        await using var app = await PageApp.StartAsync();
        var position = await app.AppendAsync("defined", """{"title":"Cooking","seats":1.50}""", new Tag("course", "c1"));

        var text = await app.GetAsync($"/opossum/events/{position}");
        var file = JsonElement.Parse(await app.GetAsync($"/opossum/events/{position}/download"));

        Assert.Contains("&quot;title&quot;: &quot;Cooking&quot;,\n  &quot;seats&quot;: 1.50", text, StringComparison.Ordinal);
        Assert.Contains("course:c1", text, StringComparison.Ordinal);
        Assert.Equal(("defined", "1.50", "course:c1"), (file.GetProperty("type").GetString(),
            file.GetProperty("data").GetProperty("seats").GetRawText(), file.GetProperty("tags")[0].GetString()));
    }

    [Fact]
    public async Task An_event_shows_the_condition_that_it_keeps()
    {
        await using var app = await PageApp.StartAsync(static (_, store) =>
            store.Services.Configure<OpossumOptions>(static options => options.KeepConditions = true));
        await app.Store.AppendAsync(NewEvent.FromJson("defined", "{}"), new AppendCondition(Query.FromTags(new Tag("course", "c1"))));

        Assert.Contains("no event after 0 matches (course:c1)", await app.GetAsync("/opossum/events/1"), StringComparison.Ordinal);
        var file = JsonElement.Parse(await app.GetAsync("/opossum/events/1/download"));
        Assert.Equal("course:c1", file.GetProperty("condition").GetProperty("query")[0].GetProperty("tags")[0].GetString());
    }

    [Theory]
    [InlineData("0")]
    [InlineData("2")]
    [InlineData("-1")]
    [InlineData("9223372036854775807")]
    public async Task An_event_that_does_not_exist_is_404(string position)
    {
        await using var app = await PageApp.StartAsync();
        await app.AppendAsync("defined");

        Assert.Contains("The positions are 1 to 1.", await app.GetAsync($"/opossum/events/{position}", HttpStatusCode.NotFound), StringComparison.Ordinal);
        await app.GetAsync($"/opossum/events/{position}/download", HttpStatusCode.NotFound);
    }

    [Fact]
    public async Task Each_mapping_shows_its_own_store()
    {
        var other = Directory.CreateTempSubdirectory("opossum-").FullName;
        await using (var app = await TestApp.StartAsync(
            static app =>
            {
                app.MapOpossum().AllowAnonymous();
                app.MapOpossum("/orders", "orders").AllowAnonymous();
            },
            (builder, _) => builder.Services.AddKeyedOpossum("orders", options => options.Path = Path.Combine(other, "orders"))))
        {
            await app.AppendAsync("of-the-first");
            await app.Services.GetRequiredKeyedService<IEventStore>("orders").AppendAsync(NewEvent.FromJson("of-orders", "{}"));

            var (first, orders) = (await app.GetAsync("/opossum/"), await app.GetAsync("/orders/"));
            Assert.Contains("of-the-first", first, StringComparison.Ordinal);
            Assert.DoesNotContain("of-orders", first, StringComparison.Ordinal);
            Assert.Contains("of-orders", orders, StringComparison.Ordinal);
            Assert.Contains("Opossum: orders", orders, StringComparison.Ordinal);
            Assert.Contains("Healthy", await app.GetAsync("/orders/store"), StringComparison.Ordinal);
        }
        Directory.Delete(other, recursive: true);
    }

    internal static List<long> PositionsIn(string text) =>
        [.. Row().Matches(text).Select(static match => long.Parse(match.Groups["position"].Value))];

    internal static async Task AppendManyAsync(TestApp app, int count) => await app.Store.AppendAsync([
        .. Enumerable.Range(1, count).Select(static each => NewEvent.FromJson($"type-{each % 3}", $$"""{"number":{{each}}}""",
            new Tag("ten", $"{each % 10}"), new Tag("all", "yes")))]);

    private static string? Link(string text, string name) =>
        Regex.Match(text, $"<a href=\"([^\"]*)\">{name}</a>") is { Success: true } match ? "/opossum/" + WebUtility.HtmlDecode(match.Groups[1].Value) : null;

    [GeneratedRegex("<a class=\"event\" href=\"events/(?<position>[0-9]+)\">")]
    private static partial Regex Row();

    [GeneratedRegex("(href|src)=\"(?<to>[^\"#]+)(#[^\"]*)?\"")]
    private static partial Regex Address();
}
