using System.Net;
using System.Text.RegularExpressions;
using Microsoft.Extensions.DependencyInjection;
using Opossum.DependencyInjection;

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>The reactions of a store, and what each has put aside.</summary>
public sealed partial class ReactionsTests
{
    [Fact]
    public async Task The_list_shows_how_each_reaction_is()
    {
        await using var app = await StartAsync();
        await HandleAsync(app, [Mails.Placed("o1"), Mails.Paid("o1"), Mails.Paid("o2")]);

        var text = await app.GetAsync("/opossum/reactions");
        // What the app knows of its own reaction follows the files a moment later.
        while (!text.Contains("Waiting for events", StringComparison.Ordinal))
            text = await app.GetAsync("/opossum/reactions");

        Assert.Contains("<a href=\"./reactions/mails\"><bdi>mails</bdi></a></th><td>Waiting for events</td><td class=\"number\">3</td>"
            + "<td class=\"number\">0 events</td><td class=\"number\">0</td><td class=\"number\">2</td><td class=\"number\">1</td>",
            text.ReplaceLineEndings(""), StringComparison.Ordinal);
        Assert.Contains("<a href=\"./reactions\" aria-current=\"page\">Reactions</a>", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Parked_due_and_skipped_events_link_to_their_events_and_say_why()
    {
        await using var app = await StartAsync();
        await HandleAsync(app, [Mails.Placed("o1"), Mails.Paid("o1"), Mails.Paid("o2")]);
        await app.Services.GetRequiredService<IFileSystemEventStore>().Reactions["mails"].SkipAsync(3, "The customer <called>.");

        var text = await app.GetAsync("/opossum/reactions/mails");

        Assert.Contains("<h2>Parked events (1)</h2>", text, StringComparison.Ordinal);
        Assert.Contains("<a class=\"event\" href=\"../events/2\">2 <bdi>paid</bdi></a>", text, StringComparison.Ordinal);
        Assert.Contains("<span>key <bdi>o1</bdi></span>", text, StringComparison.Ordinal);
        Assert.Contains("The mail server is away.</p>", text, StringComparison.Ordinal);
        Assert.Contains("<h2>Due events (1)</h2>", text, StringComparison.Ordinal);
        Assert.Contains("<bdi>reminded</bdi>", text, StringComparison.Ordinal);
        Assert.Contains("2100-01-02 03:04:05", text, StringComparison.Ordinal);
        Assert.Contains("scheduled for <a href=\"../events/1\">event 1</a>", text, StringComparison.Ordinal);
        Assert.Contains("<h2>Skipped events (1)</h2>", text, StringComparison.Ordinal);
        Assert.Contains("The customer &lt;called&gt;.", text, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Each_list_is_read_page_by_page_and_the_others_stay_where_they_are()
    {
        await using var app = await StartAsync();
        await HandleAsync(app,
            [.. Enumerable.Range(1, 45).SelectMany(static number => (NewEvent[])[Mails.Paid($"o{number}"), Mails.Placed($"o{number}")])]);

        var first = await app.GetAsync("/opossum/reactions/mails");
        var dueThen = await app.GetAsync(Next(first, "due"));
        var parked = new List<long>(Parked(dueThen));
        for (var text = dueThen; Next(text, "parked") is { Length: > 0 } next;)
        {
            text = await app.GetAsync(next);
            parked.AddRange(Parked(text));
            Assert.Equal(Due(dueThen), Due(text));
            Assert.Contains(">First parked events</a>", text, StringComparison.Ordinal);
        }

        Assert.Equal(Enumerable.Range(0, 45).Select(static number => 2L * number + 1), parked);
        Assert.Equal((20, 20), (Due(first).Count, Due(dueThen).Count));
        Assert.Empty(Due(first).Intersect(Due(dueThen)));
    }

    [Theory]
    [InlineData("<script>alert(1)</script>")]
    [InlineData("\"><img src=x onerror=alert(1)>")]
    [InlineData("\u202Etxt.exe")]
    public async Task Hostile_texts_stay_texts(string hostile)
    {
        await using var app = await StartAsync();
        await HandleAsync(app,
            [Mails.Placed(hostile), Mails.Paid(hostile, hostile), Mails.Paid("o2", new string('x', 100_000))]);
        await app.Services.GetRequiredService<IFileSystemEventStore>().Reactions["mails"].SkipAsync(3, hostile);

        var text = await app.GetAsync("/opossum/reactions/mails");

        Assert.DoesNotContain("<script>", text, StringComparison.Ordinal);
        Assert.DoesNotContain("<img", text, StringComparison.Ordinal);
        Assert.DoesNotContain("\u202E", text, StringComparison.Ordinal);
        Assert.InRange(text.Length, 1, 20_000);
    }

    [Fact]
    public async Task A_reaction_that_the_app_does_not_run_is_shown_and_its_damaged_files_are_named()
    {
        var folder = Directory.CreateTempSubdirectory("opossum-").FullName;
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }))
        {
            await using (store.StartReactions([new Mails()]))
                await HandleAsync(store, [Mails.Placed("o1"), Mails.Paid("o1")]);
            await File.WriteAllTextAsync(Assert.Single(Directory.GetFiles(Path.Combine(folder, "Reactions", "mails", "due"))), "{}");
            File.Delete(Path.Combine(folder, "Reactions", "mails", "parked", "0000000002.json"));
            await using var app = await PageApp.StartAsync((builder, _) => builder.Services.AddSingleton<IEventStore>(store));

            Assert.Contains("<td>Not run by this app</td>", await app.GetAsync("/opossum/reactions"), StringComparison.Ordinal);
            var text = WebUtility.HtmlDecode(await app.GetAsync("/opossum/reactions/mails"));
            Assert.Contains("0000000002.json does not exist: it was deleted or moved.", text, StringComparison.Ordinal);
            Assert.Matches("mails/due/[0-9a-f-]+\\.json", text.Replace('\\', '/'));
        }
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task A_halted_reaction_says_why()
    {
        await using var app = await StartAsync();
        await HandleAsync(app, [Mails.Paid("o1")]);
        await app.Services.GetRequiredKeyedService<HostedEventStore>("").Opening.StopReactionsAsync();
        var live = Assert.Single(Directory.GetDirectories(Path.Combine((await app.Store.GetStatusAsync()).Path, "Reactions", "mails"), "live.*"));
        foreach (var file in Directory.GetFiles(live))
            File.Delete(file);
        var store = app.Services.GetRequiredKeyedService<HostedEventStore>("").Opening.Store;
        await using var other = await PageApp.StartAsync((builder, _) => builder.Services.AddSingleton<IEventStore>(store));

        foreach (var path in (string[])["/opossum/reactions", "/opossum/reactions/mails"])
        {
            var text = await other.GetAsync(path);
            Assert.Contains("Halted", text, StringComparison.Ordinal);
            Assert.Contains("Its checkpoint cannot be read", text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task What_is_not_there_is_not_found()
    {
        await using var app = await PageApp.StartAsync();

        Assert.Contains("This app runs no reactions", await app.GetAsync("/opossum/reactions"), StringComparison.Ordinal);
        Assert.Contains("No reaction other has begun", await app.GetAsync("/opossum/reactions/other", HttpStatusCode.NotFound),
            StringComparison.Ordinal);
        await app.GetAsync("/opossum/reactions/..%2fEvents", HttpStatusCode.NotFound);
    }

    [Fact]
    public async Task A_store_on_demand_shows_its_own_reactions_and_their_parked_events()
    {
        await using var shops = await ShopApp.StartAsync(build: static stores => stores.AddReaction<Mails>());
        using (var lease = await shops.Stores.OpenAsync("north", create: true))
        {
            await HandleAsync(lease.Store, [Mails.Paid("o1")]);
            // The leader learns of its own file a moment after it is there.
            while ((await lease.CheckHealthAsync()).Description?.Contains("The reaction mails has parked 1 event.", StringComparison.Ordinal) != true)
                await Task.Delay(1, TestContext.Current.CancellationToken);
        }
        using (await shops.Stores.OpenAsync("south", create: true))
        {
        }

        Assert.Contains("<td>Waiting for events</td>", await shops.App.GetAsync("/opossum/north/reactions"), StringComparison.Ordinal);
        Assert.Contains("The mail server is away.", await shops.App.GetAsync("/opossum/north/reactions/mails"), StringComparison.Ordinal);
        Assert.DoesNotContain("mail server", await shops.App.GetAsync("/opossum/south/reactions"), StringComparison.Ordinal);
    }

    internal static Task<TestApp> StartAsync(bool listens = false) =>
        PageApp.StartAsync(static (_, store) => store.AddReaction<Mails>(), listens);

    /// <summary>Appends events and waits until they are handled, or parked.</summary>
    internal static async Task HandleAsync(IFileSystemEventStore store, IReadOnlyList<NewEvent> events)
    {
        var last = (await store.AppendAsync(events)).LastPosition;
        await store.Reactions["mails"].WaitForAsync(last);
    }

    internal static Task HandleAsync(TestApp app, IReadOnlyList<NewEvent> events) =>
        HandleAsync(app.Services.GetRequiredService<IFileSystemEventStore>(), events);

    private static string Next(string text, string list)
    {
        var path = NextPage().Matches(text).FirstOrDefault(match => match.Groups["list"].Value == list)?.Groups["path"].Value;
        return path is null ? "" : $"/opossum/{WebUtility.HtmlDecode(path)}";
    }

    private static List<long> Parked(string text) =>
        [.. ParkedEvents().Matches(text).Select(static match => long.Parse(match.Groups["position"].Value, null))];

    private static List<string> Due(string text) => [.. DueEvents().Matches(text).Select(static match => match.Groups["by"].Value)];

    [GeneratedRegex("href=\"../(?<path>reactions/[^\"]*)\">Next (?<list>[a-z]+) events</a>")]
    private static partial Regex NextPage();

    [GeneratedRegex("<a class=\"event\" href=\"../events/(?<position>[0-9]+)\"")]
    private static partial Regex ParkedEvents();

    [GeneratedRegex("scheduled for <a href=\"../events/(?<by>[0-9]+)\"")]
    private static partial Regex DueEvents();
}
