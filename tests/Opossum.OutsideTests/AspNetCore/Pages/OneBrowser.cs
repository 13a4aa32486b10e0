using Microsoft.Playwright;
using Opossum.AspNetCoreTests.Pages;
using Opossum.SampleTests;

[assembly: AssemblyFixture(typeof(OneBrowser))]

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>
/// The browser of all tests: starting one takes as long as most tests, so the first page starts it. Each page has cookies and storage of its own.
/// </summary>
public sealed class OneBrowser : IAsyncDisposable
{
    private readonly SemaphoreSlim starting = new(1);
    private IPlaywright? playwright;
    private IBrowser? browser;

    /// <summary>Opens a page; where there is no Chromium, the test is skipped.</summary>
    public async Task<IPage> NewPageAsync(BrowserNewPageOptions? options)
    {
        LongTests.SkipUnlessAsked();
        var chromium = Chromium.Find();
        Assert.SkipWhen(chromium is null, "There is no Chromium on this machine; install it or name it with the environment variable CHROMIUM.");
        await starting.WaitAsync();
        try
        {
            playwright ??= await Playwright.CreateAsync();
            browser ??= await playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions { ExecutablePath = chromium, Args = ["--no-sandbox"] });
        }
        finally
        {
            starting.Release();
        }
        return await browser.NewPageAsync(options);
    }

    public async ValueTask DisposeAsync()
    {
        if (browser is not null)
            await browser.DisposeAsync();
        playwright?.Dispose();
        starting.Dispose();
    }
}
