using Microsoft.Extensions.DependencyInjection;
using Microsoft.Playwright;
using static Microsoft.Playwright.Assertions;

namespace Opossum.AspNetCoreTests.Pages;

public sealed class ReactionsBrowserTests(OneBrowser browser) : BrowserSession(browser)
{
    [Theory]
    [MemberData(nameof(Screens))]
    public async Task Each_page_of_reactions_fits_the_width_of_the_screen(int width, ColorScheme scheme)
    {
        await using var app = await StartAsync();

        await AssertFitsAsync($"{app.Address}/opossum/", width, scheme, ("reactions", "reactions"), ("reaction", "reactions/mails"));
        Assert.Empty(Errors);
    }

    [Fact]
    public async Task A_visitor_reaches_a_parked_event_with_the_keyboard()
    {
        await using var app = await StartAsync();
        var page = await OpenAsync();
        await page.GotoAsync($"{app.Address}/opossum/");

        await FollowAsync(page, "Reactions");
        await Expect(page.GetByRole(AriaRole.Heading, new PageGetByRoleOptions { Level = 1 })).ToHaveTextAsync("Reactions");
        await AssertNamedAsync(page);
        await FollowAsync(page, "mails");
        await Expect(page.GetByRole(AriaRole.Heading, new PageGetByRoleOptions { Level = 1 })).ToHaveTextAsync("Reaction mails");
        await AssertNamedAsync(page);
        var parked = page.GetByRole(AriaRole.List, new PageGetByRoleOptions { Name = "Parked events" });
        await Expect(parked.GetByRole(AriaRole.Link)).ToHaveCountAsync(20);
        await FollowAsync(page, "Next parked events");
        await FollowAsync(page, "44 paid");
        await Expect(page.GetByRole(AriaRole.Heading, new PageGetByRoleOptions { Level = 1 })).ToContainTextAsync("paid");
        Assert.Empty(Errors);
    }

    private static async Task FollowAsync(IPage page, string name)
    {
        await page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = name, Exact = true }).FocusAsync();
        await PressAsync(page, "Enter");
    }

    private static async Task<TestApp> StartAsync()
    {
        var app = await ReactionsTests.StartAsync(listens: true);
        NewEvent[] events =
        [
            .. Enumerable.Range(1, 22).SelectMany(static number => (NewEvent[])[Mails.Placed($"o{number}"), Mails.Paid($"o{number}")]),
            Mails.Paid(new string('k', 300), $"{new string('x', 500)}\n\u202E عربي"),
            Mails.Placed(new string('k', 300)),
        ];
        await ReactionsTests.HandleAsync(app, events);
        await app.Services.GetRequiredService<IFileSystemEventStore>().Reactions["mails"].SkipAsync(2, $"The customer called. {new string('y', 300)}");
        return app;
    }
}
