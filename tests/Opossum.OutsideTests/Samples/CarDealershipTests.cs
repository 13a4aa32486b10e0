using System.Net;
using System.Net.Http.Json;
using global::CarDealership;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Data.Sqlite;
using Microsoft.Playwright;
using Opossum.Tests.Architecture;
using static Microsoft.Playwright.Assertions;

namespace Opossum.SampleTests;

public sealed class CarDealershipTests : IAsyncDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;
    private readonly App app;

    public CarDealershipTests() => app = new App(folder);

    public async ValueTask DisposeAsync()
    {
        await app.DisposeAsync();
        SqliteConnection.ClearAllPools();
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task The_list_has_what_is_for_sale_sorted_filtered_and_paged()
    {
        using var client = app.CreateClient();
        await TakeInAsync(client, 25);
        await PostAsync(client, "/cars/price", new PriceChanged("c3", 1), HttpStatusCode.OK);
        await PostAsync(client, "/cars/sale", new CarSold("c25", "Ada"), HttpStatusCode.OK);
        await PostAsync(client, "/cars/sale", new CarSold("c25", "Ben"), HttpStatusCode.Conflict);
        await PostAsync(client, "/cars", new CarTakenIn("c1", "Again", 2000, 1), HttpStatusCode.Conflict);
        await PostAsync(client, "/cars", new { carId = "c99" }, HttpStatusCode.BadRequest);

        Assert.Equal("c3", (await ReadAsync(client, ""))[0]);
        Assert.Equal((20, 4), ((await ReadAsync(client, "")).Count, (await ReadAsync(client, "?page=2")).Count));
        Assert.Equal("c24", (await ReadAsync(client, "?sort=Year"))[0]);
        Assert.Equal(["c3", "c1", "c2"], await ReadAsync(client, "?maxPrice=2000"));
        Assert.Equal(["c7"], await ReadAsync(client, "?model=number 7"));
        var page = await client.GetStringAsync("/?sort=Year&page=2", TestContext.Current.CancellationToken);
        Assert.Contains("24 cars", page, StringComparison.Ordinal);
        Assert.Contains("&lt;1&gt;", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_visitor_searches_sorts_and_turns_pages()
    {
        LongTests.SkipUnlessAsked();
        var chromium = Chromium.Find();
        Assert.SkipWhen(chromium is null,
            "There is no Chromium on this machine; install it or name it with the environment variable CHROMIUM.");
        app.UseKestrel(0);
        app.StartServer();
        using var client = app.CreateClient();
        await TakeInAsync(client, 25);
        using var playwright = await Playwright.CreateAsync();
        await using var browser = await playwright.Chromium.LaunchAsync(
            new BrowserTypeLaunchOptions { ExecutablePath = chromium, Args = ["--no-sandbox"] });
        var page = await browser.NewPageAsync();
        await page.GotoAsync(app.ClientOptions.BaseAddress.ToString());
        var rows = page.Locator("tbody tr");

        await Expect(rows).ToHaveCountAsync(20);
        await page.GetByText("Next").ClickAsync();
        await Expect(rows).ToHaveCountAsync(5);
        await page.GetByRole(AriaRole.Link, new PageGetByRoleOptions { Name = "Year" }).ClickAsync();
        await Expect(rows.First).ToContainTextAsync("number 25");
        await page.GetByLabel("Model").FillAsync("number 7");
        await page.GetByRole(AriaRole.Button).ClickAsync();

        await Expect(rows).ToHaveCountAsync(1);
        await Expect(page.Locator("#count")).ToHaveTextAsync("1 car");
    }

    private static async Task TakeInAsync(HttpClient client, int cars)
    {
        for (var car = 1; car <= cars; car++)
        {
            await PostAsync(client, "/cars", new CarTakenIn($"c{car}", $"<{car}> number {car}", 1950 + car, car * 1_000),
                HttpStatusCode.OK);
        }
    }

    private static async Task PostAsync(HttpClient client, string path, object body, HttpStatusCode expected)
    {
        using var answer = await client.PostAsJsonAsync(path, body, TestContext.Current.CancellationToken);
        Assert.Equal(expected, answer.StatusCode);
    }

    private static async Task<IReadOnlyList<string>> ReadAsync(HttpClient client, string query) =>
        [.. (await client.GetFromJsonAsync<CarRow[]>($"/cars{query}", TestContext.Current.CancellationToken))!
            .Select(static car => car.Id)];

    private sealed class App(string folder) : WebApplicationFactory<CarSold>
    {
        protected override void ConfigureWebHost(IWebHostBuilder builder)
        {
            builder.UseContentRoot(Path.Combine(SourceTree.Root, "samples", "CarDealership"));
            builder.UseSetting("Folder", folder);
        }
    }
}
