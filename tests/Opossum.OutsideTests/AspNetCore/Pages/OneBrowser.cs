using Microsoft.Playwright;
using Opossum.AspNetCoreTests.Pages;
using Opossum.SampleTests;

[assembly: AssemblyFixture(typeof(OneBrowser))]

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>The browser of all tests: starting one takes as long as most tests. Each page has cookies and storage of its own.</summary>
public sealed class OneBrowser : IAsyncLifetime
{
    private IPlaywright? playwright;
    private IBrowser? browser;

    public async ValueTask InitializeAsync()
    {
        if (!LongTests.AreAsked || Chromium.Find() is not { } chromium)
            return;
        playwright = await Playwright.CreateAsync();
        browser = await playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions { ExecutablePath = chromium, Args = ["--no-sandbox"] });
    }

    public async ValueTask DisposeAsync()
    {
        if (browser is not null)
            await browser.DisposeAsync();
        playwright?.Dispose();
    }

    /// <summary>Opens a page; where there is no Chromium, the test is skipped.</summary>
    public Task<IPage> NewPageAsync(BrowserNewPageOptions? options)
    {
        LongTests.SkipUnlessAsked();
        Assert.SkipWhen(browser is null, "There is no Chromium on this machine; install it or name it with the environment variable CHROMIUM.");
        return browser.NewPageAsync(options);
    }
}
