using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Extensions.DependencyInjection;
using Opossum.FileSystem.Real;
using Opossum.Projections.States;

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>The states of a projection, by key.</summary>
public sealed partial class StatesTests
{
    [Fact]
    public async Task States_are_listed_in_the_order_of_keys_page_by_page()
    {
        await using var app = await StartAsync();
        string[] keys = [.. Enumerable.Range(0, 120).Select(static number => $"k{number:D3}")];
        await SetAsync(app, keys.Reverse());

        var read = new List<string>();
        var path = "projections/keyed-texts";
        for (var pages = 1; pages <= 3; pages++)
        {
            var text = await app.GetAsync($"/opossum/{path}");
            read.AddRange(Keys().Matches(text).Select(static match => match.Groups["key"].Value));
            Assert.Equal(pages > 1, text.Contains(">First page</a>", StringComparison.Ordinal));
            Assert.Equal(pages < 3, NextPage().IsMatch(text));
            path = WebUtility.HtmlDecode(NextPage().Match(text).Groups["path"].Value);
        }

        Assert.Equal(keys, read);
    }

    [Fact]
    public async Task A_beginning_finds_keys_and_the_form_keeps_it()
    {
        await using var app = await StartAsync();
        await SetAsync(app, ["a1", "a2", "b1"]);

        var text = await app.GetAsync("/opossum/projections/keyed-texts?start=a");

        Assert.Equal(["a1", "a2"], Keys().Matches(text).Select(static match => match.Groups["key"].Value));
        Assert.Contains("value=\"a\"", text, StringComparison.Ordinal);
        Assert.Contains("No key starts with that.", await app.GetAsync("/opossum/projections/keyed-texts?start=c"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("a/b?c=d&e#f%20+")]
    [InlineData("<script>alert(1)</script>")]
    [InlineData("\"><img src=x onerror=alert(1)>")]
    [InlineData("..")]
    [InlineData("\u202Etxt.exe")]
    public async Task A_state_has_a_page_and_a_download_whatever_its_key(string key)
    {
        await using var app = await StartAsync();
        await SetAsync(app, [key]);

        var list = await app.GetAsync("/opossum/projections/keyed-texts");
        var link = WebUtility.HtmlDecode(StateLink().Match(list).Groups["path"].Value);
        var page = await app.GetAsync($"/opossum/{link}");
        var download = WebUtility.HtmlDecode(DownloadLink().Match(page).Groups["path"].Value);
        var state = JsonElement.Parse(await app.GetAsync($"/opossum/{download}"));

        Assert.Equal(key, state.GetProperty("key").GetString());
        Assert.Equal("text", state.GetProperty("state").GetProperty("text").GetString());
        Assert.Equal("length:4", state.GetProperty("tags")[0].GetString());
        Assert.Contains("\"text\": \"text\"", WebUtility.HtmlDecode(page), StringComparison.Ordinal);
        foreach (var text in (string[])[list, page])
        {
            Assert.DoesNotContain("<script>", text, StringComparison.Ordinal);
            Assert.DoesNotContain("<img", text, StringComparison.Ordinal);
            Assert.DoesNotContain("\u202E", text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task What_is_not_there_is_not_found()
    {
        await using var app = await StartAsync();
        await SetAsync(app, ["a"]);

        Assert.Contains("no states of a projection other", await app.GetAsync("/opossum/projections/other", HttpStatusCode.NotFound), StringComparison.Ordinal);
        Assert.Contains("no state for the key b", await app.GetAsync("/opossum/projections/keyed-texts/state?key=b", HttpStatusCode.NotFound),
            StringComparison.Ordinal);
        await app.GetAsync("/opossum/projections/keyed-texts/state", HttpStatusCode.NotFound);
        await app.GetAsync("/opossum/projections/..%2fEvents", HttpStatusCode.NotFound);
        await app.GetAsync("/opossum/projections/keyed-texts?after=..%2f", HttpStatusCode.BadRequest);
    }

    [Fact]
    public async Task A_projection_into_a_database_has_a_page_without_states_that_says_so()
    {
        await using var app = await StartAsync();
        await app.AppendAsync("other");
        var layout = new ProjectionLayout(Path.Combine((await app.Store.GetStatusAsync()).Path, "Projections"), "sales");
        Directory.CreateDirectory(layout.Root);
        RowFile.Write(RealFileSystem.Create(), layout, new PositionRow { Name = "sales", Version = 1, Position = 1 });

        var text = await app.GetAsync("/opossum/projections/sales");

        Assert.Contains("keeps rows in a database of its app", text, StringComparison.Ordinal);
        Assert.Contains("<dt>Position</dt><dd><bdi>1</bdi></dd>", text, StringComparison.Ordinal);
        Assert.DoesNotContain("Key starts with", text, StringComparison.Ordinal);
        await app.GetAsync("/opossum/projections/sales/state?key=a", HttpStatusCode.NotFound);
    }

    [Fact]
    public async Task Large_states_are_cut_on_the_pages_and_whole_in_the_download()
    {
        await using var app = await StartAsync();
        var large = new string('x', 2_000_000);
        await app.Store.AppendAsync(KeyedTexts.Set("a", large));
        await WaitAsync(app);

        Assert.InRange((await app.GetAsync("/opossum/projections/keyed-texts")).Length, 1, 20_000);
        var page = await app.GetAsync("/opossum/projections/keyed-texts/state?key=a");
        Assert.InRange(page.Length, 1, 200_000);
        Assert.Contains("This is the beginning of the data.", page, StringComparison.Ordinal);
        Assert.Contains(large, await app.GetAsync("/opossum/projections/keyed-texts/state/download?key=a"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Personal_data_in_states_is_shown_encrypted_though_the_host_could_decrypt_it()
    {
        await using var app = await PageApp.StartAsync(static (builder, store) =>
        {
            builder.Services.Configure<OpossumOptions>(static options =>
            {
                options.EventTypes.Add<CustomerRegistered>();
                options.PersonalData.MasterKey = MasterKey.Create();
            });
            store.AddProjection<CustomerCards>();
        });
        await app.Store.AppendAsync(new NewEvent(new CustomerRegistered("c1", "Ann Archer", "ann@example.org", "Springfield")));
        var cards = app.Services.GetRequiredService<IProjectionStore<CustomerCard>>();
        await cards.WaitForAsync(1);
        Assert.Equal("Ann Archer", (await cards.GetAsync("c1"))!.Name);

        foreach (var path in (string[])["", "/state?key=c1", "/state/download?key=c1"])
        {
            var text = await app.GetAsync($"/opossum/projections/customer-cards{path}");
            Assert.DoesNotContain("Ann Archer", text, StringComparison.Ordinal);
            Assert.Contains("$sealed", text, StringComparison.Ordinal);
            Assert.Contains("Springfield", text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Projections_that_the_app_does_not_run_are_listed_with_their_states()
    {
        await using var store = Opossum.Testing.InMemoryEventStore.Open();
        await store.AppendAsync([KeyedTexts.Set("a", "text")]);
        await using (var running = store.StartProjections([new KeyedTexts()]))
            await store.Projections.Get<KeyedText>().WaitForAsync(1);
        await using var app = await PageApp.StartAsync((builder, _) => builder.Services.AddSingleton<IEventStore>(store));

        var text = await app.GetAsync("/opossum/projections");

        Assert.Contains("<a href=\"./projections/keyed-texts\">keyed-texts</a></th><td>Not run by this app</td><td class=\"number\">1</td>", text,
            StringComparison.Ordinal);
        Assert.Contains("<bdi>a</bdi>", await app.GetAsync("/opossum/projections/keyed-texts"), StringComparison.Ordinal);
    }

    internal static Task<TestApp> StartAsync() => PageApp.StartAsync(static (_, store) => store.AddProjection<KeyedTexts>());

    internal static async Task SetAsync(TestApp app, IEnumerable<string> keys)
    {
        await app.Store.AppendAsync([.. keys.Select(static key => KeyedTexts.Set(key, "text"))]);
        await WaitAsync(app);
    }

    private static async Task WaitAsync(TestApp app) =>
        await app.Services.GetRequiredService<IProjectionStore<KeyedText>>().WaitForAsync(await app.Store.GetHeadAsync());

    [GeneratedRegex("<a class=\"event\"[^>]*><bdi>(?<key>[^<]*)</bdi>")]
    private static partial Regex Keys();

    [GeneratedRegex("href=\"../(?<path>projections/[^\"]*)\">Next page</a>")]
    private static partial Regex NextPage();

    [GeneratedRegex("<a class=\"event\" href=\"../(?<path>[^\"]*)\"")]
    private static partial Regex StateLink();

    [GeneratedRegex("href=\"../../(?<path>[^\"]*)\">Download the state as JSON</a>")]
    private static partial Regex DownloadLink();
}
