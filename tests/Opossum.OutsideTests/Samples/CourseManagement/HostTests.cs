using System.Net;
using System.Net.ServerSentEvents;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Opossum.SampleTests.CourseManagement;

public sealed class HostTests : AppTests
{
    [Fact]
    public async Task All_is_still_there_after_a_restart()
    {
        await App.DefineAsync("cooking", 1);
        await App.RegisterAsync("ada");
        var position = await App.SubscribeAsync("cooking", "ada");
        await App.DisposeAsync();
        App = new App(Folder);

        var course = await App.GetAsync($"/api/courses/cooking?after={position}");
        Assert.Equal("ada", Assert.Single(course.GetProperty("students").GetProperty("items").EnumerateArray()).GetProperty("studentId").GetString());
        Assert.Equal("Course exists",
            await App.TitleOfRefusalAsync(HttpMethod.Post, "/api/courses", new { courseId = "cooking", title = "Another", capacity = 3 },
                HttpStatusCode.Conflict));
        Assert.Equal("Already subscribed",
            await App.TitleOfRefusalAsync(HttpMethod.Post, "/api/courses/cooking/subscriptions", new { studentId = "ada" }, HttpStatusCode.Conflict));
        Assert.Equal(position + 1, await App.DefineAsync("walking"));
    }

    [Fact]
    public async Task The_store_is_the_folder_that_the_configuration_names()
    {
        await App.DefineAsync("cooking");

        Assert.True(File.Exists(Path.Combine(Folder, "Events", "0000000000", "0000000001.json")));
    }

    [Fact]
    public async Task Changes_are_told_as_they_happen()
    {
        var before = await App.DefineAsync("cooking");
        using var request = new HttpRequestMessage(HttpMethod.Get, "/api/changes");
        using var response = await App.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        await using var changes = SseParser.Create(await response.Content.ReadAsStreamAsync()).EnumerateAsync().GetAsyncEnumerator();

        Assert.Equal($"{before}", await NextAsync(changes));
        var position = await App.DefineAsync("walking");
        Assert.Equal($"{position}", await NextAsync(changes));
    }

    [Fact]
    public async Task A_page_that_comes_back_hears_what_it_has_missed()
    {
        var seen = await App.DefineAsync("cooking");
        var missed = await App.DefineAsync("walking");
        using var request = new HttpRequestMessage(HttpMethod.Get, "/api/changes") { Headers = { { "Last-Event-ID", $"{seen}" } } };
        using var response = await App.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        await using var changes = SseParser.Create(await response.Content.ReadAsStreamAsync()).EnumerateAsync().GetAsyncEnumerator();

        Assert.Equal($"{seen}", await NextAsync(changes));
        Assert.Equal($"{missed}", await NextAsync(changes));
    }

    [Fact]
    public async Task A_host_that_stops_does_not_wait_for_the_pages_that_are_open()
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/api/changes");
        using var response = await App.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        await using var changes = SseParser.Create(await response.Content.ReadAsStreamAsync()).EnumerateAsync().GetAsyncEnumerator();
        Assert.Equal("0", await NextAsync(changes));

        App.Services.GetRequiredService<IHostApplicationLifetime>().StopApplication();
        Assert.False(await changes.MoveNextAsync());
    }

    [Fact]
    public async Task The_host_is_healthy()
    {
        var position = await App.DefineAsync("cooking");
        await App.GetAsync($"/api/courses/cooking?after={position}");

        Assert.Equal("Healthy", await App.Client.GetStringAsync("/health"));
    }

    [Fact]
    public async Task The_OpenAPI_document_describes_every_endpoint_and_its_problems()
    {
        var paths = (await App.GetAsync("/openapi/v1.json")).GetProperty("paths");

        var described =
            from path in paths.EnumerateObject()
            from operation in path.Value.EnumerateObject()
            let answers = operation.Value.GetProperty("responses").EnumerateObject().Select(answer => answer.Name)
            select $"{operation.Name} {path.Name}: {string.Join(' ', answers.Order())} {(operation.Value.TryGetProperty("summary", out _) ? "" : "without summary")}".TrimEnd();
        Assert.Equal(
            [
                "delete /api/courses/{courseId}/subscriptions/{studentId}: 200 404 409 503",
                "get /api/changes: 200",
                "get /api/courses/{courseId}: 200 400 404 503",
                "get /api/courses: 200 400 503",
                "get /api/students/{studentId}: 200 400 404 503",
                "get /api/students: 200 400 503",
                "post /api/courses/{courseId}/subscriptions: 201 400 404 409 503",
                "post /api/courses: 201 400 409 503",
                "post /api/students: 201 400 409 503",
                "put /api/courses/{courseId}/capacity: 200 400 404 409 503",
            ],
            described.Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("/api/courses")]
    [InlineData("/api/students/{studentId}")]
    public async Task The_OpenAPI_document_has_the_position_to_wait_for(string path)
    {
        var parameters = (await App.GetAsync("/openapi/v1.json")).GetProperty("paths").GetProperty(path).GetProperty("get").GetProperty("parameters");

        var after = Assert.Single(parameters.EnumerateArray(), static each => each.GetProperty("name").GetString() == "after");
        Assert.Equal("query", after.GetProperty("in").GetString());
        Assert.False(after.TryGetProperty("required", out var required) && required.GetBoolean());
        Assert.StartsWith("Waits until", after.GetProperty("description").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_not_there_is_told_as_problem_details() =>
        await App.RefusedAsync(HttpMethod.Get, "/api/teachers", null, HttpStatusCode.NotFound);

    private static async Task<string> NextAsync(IAsyncEnumerator<SseItem<string>> changes)
    {
        Assert.True(await changes.MoveNextAsync());
        return changes.Current.Data;
    }
}
