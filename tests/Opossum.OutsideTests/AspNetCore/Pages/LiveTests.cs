using System.Net;
using System.Net.ServerSentEvents;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Opossum.AspNetCoreTests.Pages;

public sealed class LiveTests
{
    [Fact]
    public async Task New_events_that_match_are_sent_as_text()
    {
        await using var app = await PageApp.StartAsync();
        await app.AppendAsync("defined");
        using var live = await OpenAsync(app, "?type=defined&after=1");
        await app.AppendAsync("other");
        await app.AppendAsync("defined", """{"title":"<b>\u202e"}""", new Tag("course", "c1"));

        var message = await live.NextAsync();

        var row = Assert.Single(message.GetProperty("events").EnumerateArray());
        Assert.Equal(3, row.GetProperty("position").GetInt64());
        Assert.Equal("""{"title":"<b>\u202E"}""", row.GetProperty("excerpt").GetString());
        Assert.Equal("?type=defined&tag=course%3Ac1", row.GetProperty("tags")[0].GetProperty("href").GetString());
        Assert.False(message.GetProperty("more").GetBoolean());
    }

    [Fact]
    public async Task A_burst_is_one_message_with_the_newest_events()
    {
        await using var app = await PageApp.StartAsync();
        await BrowsingTests.AppendManyAsync(app, 500);
        using var live = await OpenAsync(app, "?after=0");

        var message = await live.NextAsync();

        Assert.Equal(50, message.GetProperty("events").GetArrayLength());
        Assert.Equal(500, message.GetProperty("events")[0].GetProperty("position").GetInt64());
        Assert.True(message.GetProperty("more").GetBoolean());
    }

    [Fact]
    public async Task A_page_that_comes_back_gets_what_it_has_missed()
    {
        await using var app = await PageApp.StartAsync();
        await BrowsingTests.AppendManyAsync(app, 5);
        using var live = await OpenAsync(app, "?after=0", lastEventId: "3");

        var message = await live.NextAsync();

        Assert.Equal([5, 4], message.GetProperty("events").EnumerateArray().Select(static row => row.GetProperty("position").GetInt64()));
    }

    [Fact]
    public async Task What_is_not_understood_is_400()
    {
        await using var app = await PageApp.StartAsync();

        Assert.Empty(await app.GetAsync("/opossum/live?after=soon", HttpStatusCode.BadRequest));
    }

    [Fact]
    public async Task Programs_that_look_at_the_head_of_a_page_get_it()
    {
        await using var app = await PageApp.StartAsync();

        using var page = await app.Client.SendAsync(new HttpRequestMessage(HttpMethod.Head, "/opossum/"));
        using var live = await app.Client.SendAsync(new HttpRequestMessage(HttpMethod.Head, "/opossum/live"));

        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.NotFound), (page.StatusCode, live.StatusCode));
    }

    [Fact]
    public async Task An_app_that_stops_does_not_wait_for_open_pages()
    {
        await using var app = await PageApp.StartAsync();
        using var live = await OpenAsync(app, "");

        app.Services.GetRequiredService<IHostApplicationLifetime>().StopApplication();

        Assert.False(await live.HasMoreAsync());
    }

    [Fact]
    public async Task A_proxy_is_told_not_to_keep_messages_back()
    {
        await using var app = await PageApp.StartAsync();
        using var request = new HttpRequestMessage(HttpMethod.Get, "/opossum/live");

        using var response = await app.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);

        Assert.Equal("no", Assert.Single(response.Headers.GetValues("X-Accel-Buffering")));
        Assert.Equal("identity", Assert.Single(response.Content.Headers.ContentEncoding));
    }

    private static async Task<Connection> OpenAsync(TestApp app, string query, string? lastEventId = null)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"/opossum/live{query}");
        if (lastEventId is not null)
            request.Headers.Add("Last-Event-ID", lastEventId);
        var response = await app.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        var connection = new Connection(response, SseParser.Create(await response.Content.ReadAsStreamAsync()).EnumerateAsync().GetAsyncEnumerator());
        // The first message says that the page is connected.
        Assert.True(await connection.HasMoreAsync());
        return connection;
    }

    private sealed class Connection(HttpResponseMessage response, IAsyncEnumerator<SseItem<string>> messages) : IDisposable
    {
        public async Task<bool> HasMoreAsync() => await messages.MoveNextAsync();

        public async Task<JsonElement> NextAsync()
        {
            Assert.True(await messages.MoveNextAsync());
            return JsonElement.Parse(messages.Current.Data);
        }

        public void Dispose() => response.Dispose();
    }
}
