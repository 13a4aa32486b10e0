using Microsoft.Playwright;

namespace Opossum.SampleTests.CourseManagement;

/// <summary>A visitor's browser, on the app's page.</summary>
internal sealed class Visit : IAsyncDisposable
{
    private readonly IPlaywright playwright;
    private readonly IBrowser browser;
    private readonly List<string> errors = [];

    private Visit(IPlaywright playwright, IBrowser browser, IPage page)
    {
        this.playwright = playwright;
        this.browser = browser;
        Page = page;
        page.PageError += (_, error) => errors.Add(error);
    }

    public IPage Page { get; }

    /// <summary>What went wrong in the page's script.</summary>
    public IReadOnlyList<string> Errors => errors;

    /// <summary>Opens the page; where there is no Chromium, the test is skipped.</summary>
    public static async Task<Visit> BeginAsync(App app)
    {
        LongTests.SkipUnlessAsked();
        var chromium = Chromium.Find();
        Assert.SkipWhen(chromium is null, "There is no Chromium on this machine; install it or name it with the environment variable CHROMIUM.");
        app.UseKestrel(0);
        app.StartServer();
        var playwright = await Playwright.CreateAsync();
        var browser = await playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions { ExecutablePath = chromium, Args = ["--no-sandbox"] });
        var visit = new Visit(playwright, browser, await browser.NewPageAsync());
        await visit.Page.GotoAsync(app.ClientOptions.BaseAddress.ToString());
        return visit;
    }

    public async ValueTask DisposeAsync()
    {
        await browser.DisposeAsync();
        playwright.Dispose();
    }
}
