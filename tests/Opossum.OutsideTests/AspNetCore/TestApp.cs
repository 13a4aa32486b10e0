using System.Net;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Opossum.AspNetCoreTests;

/// <summary>An app with a store in a folder of its own, which is deleted with the app.</summary>
internal sealed class TestApp : IAsyncDisposable
{
    private readonly WebApplication app;
    private readonly string folder;

    private TestApp(WebApplication app, string folder)
    {
        this.app = app;
        this.folder = folder;
    }

    public IServiceProvider Services => app.Services;

    public IFileSystemEventStore Store => app.Services.GetRequiredService<IFileSystemEventStore>();

    public HttpClient Client => field ??= app.GetTestClient();

    /// <summary>The address of an app that listens on a port.</summary>
    public string Address => app.Urls.First();

    /// <summary>Starts an app.</summary>
    /// <param name="configure">Maps its endpoints.</param>
    /// <param name="build">Adds to its services; null: nothing.</param>
    /// <param name="listens">Whether it listens on a port, for a browser.</param>
    public static async Task<TestApp> StartAsync(Action<WebApplication> configure, Action<WebApplicationBuilder, OpossumBuilder>? build = null,
        bool listens = false)
    {
        var folder = Directory.CreateTempSubdirectory("opossum-").FullName;
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        if (listens)
            builder.WebHost.UseUrls("http://127.0.0.1:0");
        else
            builder.WebHost.UseTestServer();
        build?.Invoke(builder, builder.Services.AddOpossum(options => options.Path = Path.Combine(folder, "store")));
        if (build is null)
            builder.Services.AddOpossum(options => options.Path = Path.Combine(folder, "store"));
        var app = builder.Build();
        configure(app);
        await app.StartAsync();
        return new TestApp(app, folder);
    }

    /// <summary>Appends one event and gives its position.</summary>
    public async Task<long> AppendAsync(string type, string json = "{}", params IEnumerable<Tag> tags) =>
        (await Store.AppendAsync(NewEvent.FromJson(type, json, [.. tags]))).LastPosition;

    /// <summary>Sends a GET and gives the text of the answer, which must have the status.</summary>
    public async Task<string> GetAsync(string path, HttpStatusCode expected = HttpStatusCode.OK)
    {
        using var response = await Client.GetAsync(path);
        var text = await response.Content.ReadAsStringAsync();
        Assert.True(expected == response.StatusCode, $"{(int)response.StatusCode} instead of {(int)expected}: {text}");
        return text;
    }

    /// <summary>Sends a GET that must be answered with problem details of the status.</summary>
    public async Task<(JsonElement Problem, string? RetryAfter)> GetProblemAsync(string path, HttpStatusCode expected)
    {
        using var response = await Client.GetAsync(path);
        var text = await response.Content.ReadAsStringAsync();
        Assert.True(expected == response.StatusCode, $"{(int)response.StatusCode} instead of {(int)expected}: {text}");
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        var problem = JsonElement.Parse(text);
        Assert.Equal((int)expected, problem.GetProperty("status").GetInt32());
        return (problem, response.Headers.RetryAfter?.ToString());
    }

    public async ValueTask DisposeAsync()
    {
        await app.DisposeAsync();
        Directory.Delete(folder, recursive: true);
    }
}
