using Microsoft.Playwright;

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>What the tests of a class ask of every page, in the browser of all tests.</summary>
public abstract class BrowserSession(OneBrowser browser) : IAsyncDisposable
{
    private readonly List<IPage> pages = [];

    public async ValueTask DisposeAsync()
    {
        foreach (var page in pages)
            await page.CloseAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>What the browser has reported.</summary>
    protected List<string> Errors { get; } = [];

    public static TheoryData<int, ColorScheme> Screens => new()
    {
        { 320, ColorScheme.Dark },
        { 1280, ColorScheme.Light },
        { 3840, ColorScheme.Dark },
    };

    protected static async Task PressAsync(IPage page, params string[] keys)
    {
        foreach (var key in keys)
            await page.Keyboard.PressAsync(key);
    }

    // Whatever the page's policy forbids is reported in the console.
    protected async Task<IPage> OpenAsync(BrowserNewPageOptions? options = null)
    {
        var page = await browser.NewPageAsync(options);
        pages.Add(page);
        page.PageError += (_, error) => Errors.Add(error);
        page.Dialog += (_, dialog) => Errors.Add(dialog.Message);
        page.Console += (_, message) => Errors.AddRange(message.Type == "error" ? [message.Text] : []);
        return page;
    }

    /// <summary>Opens pages on a screen and saves pictures of them; none may be wider than the screen.</summary>
    protected async Task AssertFitsAsync(string address, int width, ColorScheme scheme, params (string Name, string Path)[] pages)
    {
        var page = await OpenAsync(new BrowserNewPageOptions
        {
            ColorScheme = scheme,
            ViewportSize = new ViewportSize { Width = width, Height = width == 320 ? 640 : width * 9 / 16 },
        });
        foreach (var (name, path) in pages)
        {
            await page.GotoAsync(address + path);
            var tooWide = await page.EvaluateAsync<int>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
            Assert.True(tooWide <= 0, $"{name} is {tooWide} px wider than the screen.");
        }
    }

    /// <summary>Whatever can be used has a name for those who do not see it.</summary>
    protected static async Task AssertNamedAsync(IPage page) => Assert.Empty(
        await page.Locator("input:not([type=hidden]), button, a, nav").EvaluateAllAsync<string[]>(
            "all => all.filter(each => !each.labels?.length && !each.ariaLabel && !each.textContent.trim()).map(each => each.outerHTML)"));
}
