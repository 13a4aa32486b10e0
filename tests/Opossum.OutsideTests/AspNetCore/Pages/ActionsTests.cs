using System.Net;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Opossum.Tests.Durability;

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>The buttons of the pages: off unless the app says otherwise, and only from the pages themselves.</summary>
public sealed partial class ActionsTests
{
    private const int Skips = 133;

    [Fact]
    public async Task Parked_event_is_retried_and_skipped_by_buttons()
    {
        using var logs = new Logs();
        await using var app = await StartAsync(logs: logs);
        var stored = app.Services.GetRequiredService<IFileSystemEventStore>().Reactions;
        await ReactionsTests.HandleAsync(app, [Mails.Paid("o1"), Mails.Paid("o2")]);

        var (page, cookie) = await LoadAsync(app, "/opossum/reactions/mails");
        Assert.Contains("<button>Retry event 1</button>", page, StringComparison.Ordinal);
        using var retried = await SendAsync(app, "/opossum/reactions/mails/retry", TokenOf(page), cookie, ("position", "1"));
        using var skipped = await SendAsync(app, "/opossum/reactions/mails/skip", TokenOf(page), cookie, ("position", "2"), ("reason", "called"));
        using var again = await SendAsync(app, "/opossum/reactions/mails/skip", TokenOf(page), cookie, ("position", "7"), ("reason", "called"));
        using var mute = await SendAsync(app, "/opossum/reactions/mails/skip", TokenOf(page), cookie, ("position", "1"), ("reason", " "));

        Assert.Equal((HttpStatusCode.SeeOther, "../mails"), (retried.StatusCode, retried.Headers.Location?.OriginalString));
        Assert.Equal(HttpStatusCode.SeeOther, skipped.StatusCode);
        Assert.Equal((HttpStatusCode.BadRequest, HttpStatusCode.BadRequest), (again.StatusCode, mute.StatusCode));
        Assert.Contains("has not parked the event at position 7", await again.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        await logs.SeenAsync(Skips).WaitAsync(TestContext.Current.CancellationToken);
        Assert.Equal([2], (await stored["mails"].GetStatusAsync()).Skipped);
    }

    [Fact]
    public async Task Page_of_a_stopped_projection_shows_why_and_has_the_next_steps()
    {
        await using var app = await StartAsync();
        await app.AppendAsync("text-set", "{\"key\":1}");
        var stored = app.Services.GetRequiredService<IFileSystemEventStore>().Projections;
        await Assert.ThrowsAsync<ProjectionException>(() => stored["keyed-texts"].WaitForAsync(1));

        var (page, cookie) = await LoadAsync(app, "/opossum/projections/keyed-texts");
        Assert.Contains("<h2>Stopped at <a href=\"../events/1\">event 1 ", page, StringComparison.Ordinal);
        Assert.Contains("the projection has stopped before the first one", page, StringComparison.Ordinal);
        Assert.DoesNotContain("There are no states.", page, StringComparison.Ordinal);
        using var skipped = await SendAsync(app, "/opossum/projections/keyed-texts/skip", TokenOf(page), cookie, ("position", "1"),
            ("reason", "a typing mistake"));
        Assert.Equal(HttpStatusCode.SeeOther, skipped.StatusCode);
        while ((await stored["keyed-texts"].GetStatusAsync()) is not { Fault: null, Position: 1 })
            await Task.Delay(1);
        Assert.Equal([1], (await stored["keyed-texts"].GetStatusAsync()).Skipped);
        using var rebuilt = await SendAsync(app, "/opossum/projections/keyed-texts/rebuild", TokenOf(page), cookie);
        using var retried = await SendAsync(app, "/opossum/projections/keyed-texts/retry", TokenOf(page), cookie);
        Assert.Equal((HttpStatusCode.SeeOther, HttpStatusCode.SeeOther), (rebuilt.StatusCode, retried.StatusCode));
        Assert.DoesNotContain("Retry event", (await LoadAsync(app, "/opossum/projections/keyed-texts")).Page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Form_of_another_site_is_refused()
    {
        await using var app = await StartAsync();
        var stored = app.Services.GetRequiredService<IFileSystemEventStore>().Reactions;
        await ReactionsTests.HandleAsync(app, [Mails.Paid("o1")]);
        var (page, cookie) = await LoadAsync(app, "/opossum/reactions/mails");
        foreach (var (token, sent) in ((string, string)[])[("", cookie), (TokenOf(page), ""), ("forged", cookie)])
        {
            using var refused = await SendAsync(app, "/opossum/reactions/mails/skip", token, sent, ("position", "1"), ("reason", "x"));
            Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        }
        var reaction = await stored["mails"].GetStatusAsync();
        Assert.Equal((1, 0, 0), (reaction.Parked.Count, reaction.Skipped.Count, reaction.OpenRequests));
    }

    [Theory]
    [InlineData("application/json", "{}")]
    [InlineData("multipart/form-data; boundary=x", "no parts")]
    public async Task Request_without_a_form_is_refused(string type, string body)
    {
        await using var app = await StartAsync();
        await ReactionsTests.HandleAsync(app, [Mails.Paid("o1")]);
        var (page, cookie) = await LoadAsync(app, "/opossum/reactions/mails");
        foreach (var token in (string[])[TokenOf(page), ""])
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "/opossum/reactions/mails/retry");
            request.Headers.Add("Cookie", cookie);
            request.Headers.Add("RequestVerificationToken", token);
            request.Content = new StringContent(body);
            request.Content.Headers.ContentType = System.Net.Http.Headers.MediaTypeHeaderValue.Parse(type);
            using var refused = await app.Client.SendAsync(request);
            Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        }
    }

    [Fact]
    public async Task Without_a_word_of_the_app_there_are_no_buttons_and_the_closed_pages_accept_none()
    {
        await using var app = await ReactionsTests.StartAsync();
        await ReactionsTests.HandleAsync(app, [Mails.Paid("o1")]);
        Assert.DoesNotContain("method=\"post\"", await app.GetAsync("/opossum/reactions/mails"), StringComparison.Ordinal);
        using var refused = await SendAsync(app, "/opossum/reactions/mails/retry", "", "", ("position", "1"));
        Assert.Equal(HttpStatusCode.MethodNotAllowed, refused.StatusCode);

        await using var closed = await StartAsync(static app => app.MapOpossum(withActions: true));
        using var anonymous = await SendAsync(closed, "/opossum/reactions/mails/retry", "", "", ("position", "1"));
        Assert.Equal(HttpStatusCode.Forbidden, anonymous.StatusCode);
    }

    [Fact]
    public async Task App_without_antiforgery_does_not_start_with_buttons()
    {
        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(
            static () => TestApp.StartAsync(static app => app.MapOpossum(withActions: true)));
        Assert.Contains("AddAntiforgery()", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/opossum/no/such/page")]
    [InlineData("/opossum/events/x")]
    [InlineData("/opossum/reactions/mails/x/")]
    public async Task Address_without_a_page_is_answered_with_one(string path)
    {
        await using var app = await StartAsync();

        var page = await app.GetAsync(path, HttpStatusCode.NotFound);

        Assert.Contains("<h1>No such page</h1>", page, StringComparison.Ordinal);
        var folders = path.Count(static each => each == '/') - 2;
        Assert.Contains($"href=\"{string.Concat(Enumerable.Repeat("../", folders))}opossum.css\"", page, StringComparison.Ordinal);
    }

    private static Task<TestApp> StartAsync(Action<WebApplication>? map = null, Logs? logs = null) => TestApp.StartAsync(
        map ?? (static app => app.MapOpossum(withActions: true).AllowAnonymous()), (builder, store) =>
        {
            builder.Services.AddAntiforgery();
            if (logs is not null)
                builder.Services.AddSingleton<ILoggerFactory>(logs);
            builder.Services.Configure<ProjectionOptions>(static options => options.MaxRetryAttempts = 0);
            store.AddReaction<Mails>().AddProjection<KeyedTexts>();
        });

    private static async Task<(string Page, string Cookie)> LoadAsync(TestApp app, string path)
    {
        using var response = await app.Client.GetAsync(path);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        var cookie = response.Headers.TryGetValues("Set-Cookie", out var cookies) ? cookies.First().Split(';')[0] : "";
        return (await response.Content.ReadAsStringAsync(), cookie);
    }

    private static async Task<HttpResponseMessage> SendAsync(TestApp app, string path, string token, string cookie,
        params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, path);
        request.Content = new FormUrlEncodedContent(fields.Append(("__RequestVerificationToken", token))
            .Select(static field => KeyValuePair.Create(field.Item1, field.Item2)));
        if (cookie.Length > 0)
            request.Headers.Add("Cookie", cookie);
        return await app.Client.SendAsync(request);
    }

    private static string TokenOf(string page) => WebUtility.HtmlDecode(Token().Match(page).Groups["token"].Value);

    [GeneratedRegex("name=\"__RequestVerificationToken\" value=\"(?<token>[^\"]+)\"")]
    private static partial Regex Token();
}
