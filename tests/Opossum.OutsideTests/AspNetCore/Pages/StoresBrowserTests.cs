using Microsoft.Playwright;
using static Microsoft.Playwright.Assertions;

namespace Opossum.AspNetCoreTests.Pages;

public sealed class StoresBrowserTests(OneBrowser browser) : BrowserSession(browser)
{
    [Theory]
    [MemberData(nameof(Screens))]
    public async Task Each_page_of_stores_and_states_fits_the_width_of_the_screen(int width, ColorScheme scheme)
    {
        await using var shops = await StartAsync();

        await AssertFitsAsync($"{shops.App.Address}/opossum/", width, scheme, ("stores", ""), ("stores-events", "berlin/"),
            ("stores-projections", "berlin/projections"), ("states", "berlin/projections/keyed-texts"),
            ("state", "berlin/projections/keyed-texts/state?key=order%2F1"), ("proof", "berlin/store"));
        Assert.Empty(Errors);
    }

    [Fact]
    public async Task A_visitor_reaches_a_state_from_the_list_of_stores_with_the_keyboard()
    {
        await using var shops = await StartAsync();
        var page = await OpenAsync();
        await page.GotoAsync($"{shops.App.Address}/opossum/");
        await AssertNamedAsync(page);

        await page.GetByLabel("Name starts with").FocusAsync();
        await page.Keyboard.TypeAsync("ber");
        await PressAsync(page, "Enter");
        await page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = "berlin" }).FocusAsync();
        await PressAsync(page, "Enter");
        await page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = "Projections" }).FocusAsync();
        await PressAsync(page, "Enter");
        await page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = "keyed-texts" }).FocusAsync();
        await PressAsync(page, "Enter");
        await page.GetByLabel("Key starts with").FocusAsync();
        await AssertNamedAsync(page);
        await page.Keyboard.TypeAsync("order/");
        await PressAsync(page, "Enter");
        await Expect(page.Locator(".events > li")).ToHaveCountAsync(1);
        await page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = "order/1" }).FocusAsync();
        await PressAsync(page, "Enter");

        await Expect(page.GetByRole(AriaRole.Heading, new PageGetByRoleOptions { Level = 1 })).ToHaveTextAsync("State order/1");
        await Expect(page.Locator("pre.data")).ToContainTextAsync("three loaves");
        await AssertNamedAsync(page);
        await page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = "All stores" }).ClickAsync();
        await Expect(page.GetByRole(AriaRole.Heading, new PageGetByRoleOptions { Level = 1 })).ToHaveTextAsync("Stores");
        Assert.EndsWith("/opossum/", page.Url, StringComparison.Ordinal);
        Assert.Empty(Errors);
    }

    [Fact]
    public async Task New_events_of_a_store_on_demand_are_followed_and_hostile_keys_run_nothing()
    {
        await using var shops = await StartAsync();
        await shops.SetAsync("berlin", HostileTextTests.Script, HostileTextTests.Script);
        var page = await OpenAsync();
        await page.GotoAsync($"{shops.App.Address}/opossum/berlin/");
        await page.GetByRole(AriaRole.Button, new PageGetByRoleOptions { Name = "Follow new events" }).ClickAsync();
        await Expect(page.Locator("#live-state")).ToHaveTextAsync("Connected.");
        await shops.SetAsync("ulm", "a", "elsewhere");
        await shops.SetAsync("berlin", "a", "here");
        await Expect(page.Locator("#live-state")).ToHaveTextAsync("1 new event.");

        await page.GotoAsync($"{shops.App.Address}/opossum/berlin/projections/keyed-texts");
        await page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = HostileTextTests.Script }).ClickAsync();
        await Expect(page.GetByRole(AriaRole.Heading, new PageGetByRoleOptions { Level = 1 })).ToContainTextAsync("<script>");
        Assert.Equal(1, await page.Locator("script").CountAsync());
        Assert.Empty(Errors);
    }

    private static async Task<ShopApp> StartAsync()
    {
        var key = ProofKey.Create("shop.example");
        var shops = await ShopApp.StartAsync(options => options.Store.Proof = new ProofOptions { Key = key, Witnesses = { "/mnt/office/proofs" } },
            listens: true);
        await shops.SetAsync("berlin", "order/1", "three loaves");
        await shops.SetAsync("berlin", "Żółć", "yes");
        await shops.SetAsync("berlin", new string('k', 300), new string('v', 3_000));
        await shops.SetAsync("berlin", "עברית\u202Egpj", "عربي");
        await shops.SetAsync("ulm", "order/1", "elsewhere");
        foreach (var number in Enumerable.Range(0, 8))
            await shops.SetAsync($"a-branch-with-a-rather-long-name-of-its-own-in-the-town-of-{number:D2}", "a", "text");
        return shops;
    }
}
