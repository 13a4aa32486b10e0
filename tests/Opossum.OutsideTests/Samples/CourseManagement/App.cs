using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using global::CourseManagement;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Opossum.Tests.Architecture;

namespace Opossum.SampleTests.CourseManagement;

/// <summary>
/// The sample over a store in a folder, and what the tests say to it. It is named by one of its types: other apps have a Program, too.
/// </summary>
/// <param name="folder">The store's folder.</param>
/// <param name="replace">Puts something in the place of the app's services; null: nothing.</param>
internal sealed class App(string folder, Action<IServiceCollection>? replace = null) : WebApplicationFactory<CourseDefined>
{
    public HttpClient Client => field ??= CreateClient();

    public async Task<JsonElement> GetAsync(string path) => await AnswerAsync(await Client.GetAsync(path), HttpStatusCode.OK);

    /// <summary>Carries out a command and gives the position of its event.</summary>
    public async Task<long> DoAsync(HttpMethod method, string path, object? body, HttpStatusCode expected)
    {
        var answer = await AnswerAsync(await SendAsync(method, path, body), expected);
        return answer.GetProperty("position").GetInt64();
    }

    public Task<long> DefineAsync(string courseId, int capacity = 10) =>
        DoAsync(HttpMethod.Post, "/api/courses", new { courseId, title = $"Title of {courseId}", capacity }, HttpStatusCode.Created);

    public Task<long> RegisterAsync(string studentId) =>
        DoAsync(HttpMethod.Post, "/api/students", new { studentId, name = $"Name of {studentId}" }, HttpStatusCode.Created);

    public Task<long> SubscribeAsync(string courseId, string studentId) =>
        DoAsync(HttpMethod.Post, $"/api/courses/{courseId}/subscriptions", new { studentId }, HttpStatusCode.Created);

    /// <summary>Sends what is to be refused, and gives the problem details.</summary>
    public async Task<JsonElement> RefusedAsync(HttpMethod method, string path, object? body, HttpStatusCode expected)
    {
        var response = await SendAsync(method, path, body);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        var problem = await AnswerAsync(response, expected);
        Assert.Equal((int)expected, problem.GetProperty("status").GetInt32());
        return problem;
    }

    public async Task<string?> TitleOfRefusalAsync(HttpMethod method, string path, object? body, HttpStatusCode expected) =>
        (await RefusedAsync(method, path, body, expected)).GetProperty("title").GetString();

    public Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, object? body) =>
        Client.SendAsync(new HttpRequestMessage(method, path) { Content = body is null ? null : JsonContent.Create(body) });

    protected override void ConfigureWebHost(IWebHostBuilder builder)
    {
        builder.UseContentRoot(Path.Combine(SourceTree.Root, "samples", "CourseManagement"));
        builder.UseSetting("Opossum:Path", folder);
        builder.ConfigureTestServices(services => replace?.Invoke(services));
    }

    private static async Task<JsonElement> AnswerAsync(HttpResponseMessage response, HttpStatusCode expected)
    {
        var text = await response.Content.ReadAsStringAsync();
        Assert.True(expected == response.StatusCode, $"{(int)response.StatusCode} instead of {(int)expected}: {text}");
        return JsonElement.Parse(text);
    }
}
