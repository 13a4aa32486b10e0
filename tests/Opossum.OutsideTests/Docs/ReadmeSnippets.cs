using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.DocTests;

public sealed class ReadmeSnippets : DocumentCode
{
    [Fact]
    public async Task Example()
    {
        var options = new OpossumOptions { Path = "courses" };
        options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>();
        await using var store = await FileSystemEventStore.OpenAsync(options);
        await store.AppendAsync([new NewEvent(new CourseDefined("c1", Seats: 2))]);

        // The decision depends on the course and on its subscriptions.
        var query = Query.FromTags(new Tag("course", "c1"));
        var events = store.ReadAsync(query);
        var free = 0;
        await foreach (var e in events)
            free += e.Data switch { CourseDefined course => course.Seats, StudentSubscribed => -1, _ => 0 };

        // Throws AppendConditionFailedException if an event with the tag course:c1 was appended since the read.
        if (free > 0)
            await store.AppendAsync([new NewEvent(new StudentSubscribed("c1", "s9"))], new AppendCondition(query, After: events.Head));

        Assert.Equal(2, await store.GetHeadAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Web_app()
    {
        string[] args = ["--Opossum:Path=web", "--urls=http://127.0.0.1:0"];

        var builder = WebApplication.CreateBuilder(args);
        builder.Services.AddOpossum(
            builder.Configuration.GetSection("Opossum"),
            options => options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>());
        var app = builder.Build();
        app.MapPost("/courses/{id}", async (string id, int seats, IEventStore store, CancellationToken cancellationToken) =>
        {
            var courseIsThere = new AppendCondition(Query.FromTags(new Tag("course", id)));
            await store.AppendAsync([new NewEvent(new CourseDefined(id, seats))], courseIsThere, cancellationToken);
            return Results.Created();
        });

        await app.StartAsync(TestContext.Current.CancellationToken);
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        using var created = await client.PostAsync(new Uri("/courses/c1?seats=2", UriKind.Relative), null, TestContext.Current.CancellationToken);
        Assert.Equal(System.Net.HttpStatusCode.Created, created.StatusCode);
        await app.StopAsync(TestContext.Current.CancellationToken);
        await app.DisposeAsync();
    }
}
