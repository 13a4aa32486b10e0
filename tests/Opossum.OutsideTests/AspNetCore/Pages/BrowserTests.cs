using Microsoft.Playwright;
using static Microsoft.Playwright.Assertions;

namespace Opossum.AspNetCoreTests.Pages;

public sealed class BrowserTests(OneBrowser browser) : BrowserSession(browser)
{
    [Theory]
    [MemberData(nameof(Screens))]
    public async Task Each_page_fits_the_width_of_the_screen(int width, ColorScheme scheme)
    {
        await using var app = await StartAsync();
        await AssertFitsAsync($"{app.Address}/opossum/", width, scheme, ("events", ""), ("found", "?tag=course%3Ac1&since=never"), ("event", "events/3"),
            ("projections", "projections"), ("store", "store"));
        // The search with an invalid time is answered with status 400, which the browser reports.
        Assert.All(Errors, static error => Assert.Contains("400", error, StringComparison.Ordinal));
    }

    // A word that is on several lines has several rectangles.
    [Fact]
    public async Task On_a_narrow_screen_a_table_scrolls_before_a_word_of_it_breaks()
    {
        await using var app = await StartAsync();
        var page = await OpenAsync(new BrowserNewPageOptions { ViewportSize = new ViewportSize { Width = 375, Height = 667 } });
        await page.GotoAsync($"{app.Address}/opossum/store");

        var broken = await page.EvaluateAsync<string[]>("""
            () => [...document.querySelectorAll("th, td")].flatMap(cell => {
                const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = [];
                while (texts.nextNode())
                    for (const word of texts.currentNode.data.matchAll(/[\w-]{1,30}(?![\w-])/g)) {
                        const range = document.createRange();
                        range.setStart(texts.currentNode, word.index);
                        range.setEnd(texts.currentNode, word.index + word[0].length);
                        if (range.getClientRects().length > 1)
                            broken.push(word[0]);
                    }
                return broken;
            })
            """);

        Assert.Empty(broken);
        Assert.NotEqual(0, await page.Locator("td").CountAsync());
    }

    [Theory]
    [InlineData("en-US", "^[A-Z][a-z]{2} [0-9]{1,2}, [0-9]{4}, [0-9]{1,2}:[0-9]{2}:[0-9]{2}.[AP]M$")]
    [InlineData("de-DE", @"^[0-9]{2}\.[0-9]{2}\.[0-9]{4}, [0-9]{2}:[0-9]{2}:[0-9]{2}$")]
    public async Task Times_are_in_the_readers_own_form(string locale, string form)
    {
        await using var app = await StartAsync();
        var page = await OpenAsync(new BrowserNewPageOptions { Locale = locale });
        await page.GotoAsync($"{app.Address}/opossum/");

        Assert.Matches(form, await page.Locator("time").First.InnerTextAsync());
    }

    [Fact]
    public async Task New_events_appear_without_loading_the_page_and_their_text_stays_text()
    {
        await using var app = await StartAsync();
        var page = await OpenAsync();
        await page.GotoAsync($"{app.Address}/opossum/?tag=course%3Ac1");
        var rows = page.Locator("#events > li");
        var before = await rows.CountAsync();
        await page.GetByRole(AriaRole.Button, new PageGetByRoleOptions { Name = "Follow new events" }).ClickAsync();
        await Expect(page.Locator("#live-state")).ToHaveTextAsync("Connected.");

        await app.AppendAsync("elsewhere", "{}", new Tag("course", "c2"));
        await app.AppendAsync(HostileTextTests.Script, """{"x":"<script>alert(1)</script>\u202e"}""", new Tag("course", "c1"), new Tag("x", HostileTextTests.Script));

        await Expect(rows).ToHaveCountAsync(before + 1);
        await Expect(rows.First).ToContainTextAsync(HostileTextTests.Script);
        await Expect(rows.First).ToContainTextAsync("\\u202E");
        await Expect(page.Locator("#live-state")).ToHaveTextAsync("1 new event.");
        await rows.First.GetByRole(AriaRole.Link).First.ClickAsync();
        await Expect(page.GetByRole(AriaRole.Heading, new PageGetByRoleOptions { Level = 1 })).ToContainTextAsync("<script>");
        Assert.Empty(Errors);
    }

    [Fact]
    public async Task Hostile_events_run_nothing()
    {
        await using var app = await StartAsync();
        await HostileTextTests.AppendHostileAsync(app, HostileTextTests.Script);
        var page = await OpenAsync();

        foreach (var path in (string[])["", "store", "events/6", "projections"])
        {
            await page.GotoAsync($"{app.Address}/opossum/{path}");
            Assert.Equal(1, await page.Locator("script").CountAsync());
            Assert.Equal(0, await page.Locator("img").CountAsync());
        }
        Assert.Empty(Errors);
    }

    [Fact]
    public async Task All_of_it_can_be_done_with_the_keyboard()
    {
        await using var app = await StartAsync();
        var page = await OpenAsync();
        await page.GotoAsync($"{app.Address}/opossum/");

        await PressAsync(page, "Tab");
        await Expect(page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = "Skip to the content" })).ToBeFocusedAsync();
        await PressAsync(page, "Enter", "Tab");
        await Expect(page.GetByLabel("Type")).ToBeFocusedAsync();
        await page.Keyboard.TypeAsync("student-subscribed");
        await PressAsync(page, "Tab");
        await page.Keyboard.TypeAsync("course:c1");
        await PressAsync(page, "Enter");
        await Expect(page.Locator("#events > li")).ToHaveCountAsync(1);

        await page.GetByRole(AriaRole.Button, new PageGetByRoleOptions { Name = "Follow new events" }).FocusAsync();
        await PressAsync(page, "Space");
        await Expect(page.GetByRole(AriaRole.Button, new PageGetByRoleOptions { Name = "Follow new events", Pressed = true })).ToBeFocusedAsync();
        await PressAsync(page, "Tab");
        await Expect(page.Locator("a.event")).ToBeFocusedAsync();
        var outline = await page.Locator("a.event").EvaluateAsync<string>("each => getComputedStyle(each).outlineStyle");
        Assert.Equal("solid", outline);
        await PressAsync(page, "Enter");
        await Expect(page.GetByRole(AriaRole.Heading, new PageGetByRoleOptions { Level = 1 })).ToContainTextAsync("student-subscribed");
        Assert.Empty(Errors);
    }

    [Fact]
    public async Task Without_JavaScript_everything_can_be_read()
    {
        await using var app = await StartAsync();
        var page = await OpenAsync(new BrowserNewPageOptions { JavaScriptEnabled = false });
        await page.GotoAsync($"{app.Address}/opossum/");

        await page.GetByLabel("Tag").FillAsync("student:s1");
        await page.GetByRole(AriaRole.Button, new PageGetByRoleOptions { Name = "Find" }).ClickAsync();
        await Expect(page.Locator("#events > li")).ToHaveCountAsync(2);
        await page.Locator("a.event").First.ClickAsync();
        await Expect(page.Locator("pre.data")).ToContainTextAsync("\"studentId\": \"s1\"");
        await page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = "Store" }).ClickAsync();
        await Expect(page.Locator(".health")).ToContainTextAsync("Healthy");
        Assert.EndsWith("/opossum/store", page.Url, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Each_field_and_each_list_has_a_name_for_those_who_do_not_see_it()
    {
        await using var app = await StartAsync();
        var page = await OpenAsync();
        await page.GotoAsync($"{app.Address}/opossum/?since=never&tag=course%3Ac1");

        await Expect(page.GetByLabel("From time (UTC)")).ToHaveAccessibleDescriptionAsync(
            "This must be a date and a time in UTC, such as 2026-01-31T18:30.");
        await Expect(page.GetByRole(AriaRole.Search)).ToHaveAccessibleNameAsync("Find events");
        await Expect(page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = "Remove the tag course:c1" })).ToBeVisibleAsync();
        await AssertNamedAsync(page);
    }

    private static async Task<TestApp> StartAsync()
    {
        var app = await PageApp.StartAsync(listens: true);
        var registered = NewEvent.FromJson("student-registered", """{"studentId":"s1","name":"Ada"}""", new Tag("student", "s1"));
        var subscribed = NewEvent.FromJson("student-subscribed", """{"courseId":"c1","studentId":"s1"}""", new Tag("course", "c1"), new Tag("student", "s1")) with
        {
            Metadata = new Dictionary<string, string> { ["causationId"] = $"{registered.Id}", ["correlationId"] = "9f1c2d" },
        };
        await app.Store.AppendAsync(
        [
            registered,
            NewEvent.FromJson("course-defined", """{"courseId":"c1","title":"Cooking for beginners, with a title that is rather long","seats":12}""", new Tag("course", "c1")),
            subscribed,
            NewEvent.FromJson(new string('w', 300), $"\"{new string('v', 3_000)}\"", new Tag(new string('k', 200), new string('x', 300))),
            NewEvent.FromJson("حجم\u202Egpj", """{"עברית":"عربي"}""", new Tag("שם", "ערך")),
        ]);
        return app;
    }
}
