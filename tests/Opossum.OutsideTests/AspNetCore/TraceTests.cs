using System.Collections.Concurrent;
using System.Diagnostics;
using System.Security.Claims;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using OpenTelemetry;
using OpenTelemetry.Trace;

namespace Opossum.AspNetCoreTests;

/// <summary>Traces of an ASP.NET app, as docs/telemetry.md switches them on.</summary>
public sealed class TraceTests
{
    [Fact]
    public async Task What_the_store_does_is_recorded_below_the_request_with_the_sources_of_the_document()
    {
        using var appends = new Appends();
        using var traces = Sdk.CreateTracerProviderBuilder().AddSource("Opossum").AddSource("Microsoft.AspNetCore").AddProcessor(appends).Build();
        await using var app = await TestApp.StartAsync(static app => app.MapPost("/",
            static (IEventStore store) => store.AppendAsync(NewEvent.FromJson("asked", "{}"))));
        var path = (await app.Store.GetStatusAsync()).Path;

        using var response = await app.Client.PostAsync("/", content: null);

        response.EnsureSuccessStatusCode();
        var append = Assert.Single(appends.Ended, each => Equals(each.GetTagItem("db.namespace"), path));
        Assert.Equal("Microsoft.AspNetCore", append.Parent?.Source.Name);
    }

    [Fact]
    public async Task Events_name_the_user_of_the_request_or_what_the_host_gives()
    {
        await using var app = await TestApp.StartAsync(
            static app =>
            {
                app.Use((http, next) =>
                {
                    http.User = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "u7")], "test"));
                    return next(http);
                });
                app.MapPost("/", static (IEventStore store) => store.AppendAsync(NewEvent.FromJson("asked", "{}")));
            },
            static (_, opossum) => opossum.WithHttpUser("nightly-import"));

        using var response = await app.Client.PostAsync("/", content: null);
        await app.AppendAsync("imported", "{}");

        response.EnsureSuccessStatusCode();
        Assert.Equal(["u7", "nightly-import"],
            (await app.Store.ReadAsync(Query.All).ToListAsync()).Select(static e => e.Metadata[MetadataNames.User]));
    }

    private sealed class Appends : BaseProcessor<Activity>
    {
        public ConcurrentQueue<Activity> Ended { get; } = [];

        public override void OnEnd(Activity data)
        {
            if (data is { Source.Name: "Opossum", OperationName: "append" })
                Ended.Enqueue(data);
        }
    }
}
