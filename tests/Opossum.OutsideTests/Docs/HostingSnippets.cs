using System.Net;
using System.Net.Http.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.DocTests;

public sealed record SeatCount(string CourseId, int Free);

public sealed class CourseSeats : Projection<SeatCount>
{
    public CourseSeats()
        : base("course-seats")
    {
        On<CourseDefined>(e => e.CourseId, (_, e) => new SeatCount(e.CourseId, e.Seats));
        On<StudentSubscribed>(e => e.CourseId, (course, _) => course! with { Free = course.Free - 1 });
    }
}

public sealed class OrderReport([FromKeyedServices("orders")] IEventStore orders)
{
    public Task<long> CountAsync() => orders.GetHeadAsync();
}

public sealed class SeatReport([FromKeyedServices("course-seats")] IProjectionStore<SeatCount> courses)
{
    public Task<SeatCount?> OfAsync(string courseId) => courses.GetAsync(courseId);
}

public interface IConfirmationSender
{
    Task SendAsync(string address, string key, CancellationToken cancellationToken);
}

public sealed class ConfirmationSender : IConfirmationSender
{
    public TaskCompletionSource<string> Sent { get; } = new();

    public Task SendAsync(string address, string key, CancellationToken cancellationToken) => Task.FromResult(Sent.TrySetResult(address));
}

public sealed class StudentAddresses
{
    private readonly string domain = "example.org";

    public Task<string> FindAsync(string studentId, CancellationToken cancellationToken) =>
        Task.FromResult($"{studentId}@{domain}").WaitAsync(cancellationToken);
}

public sealed class Confirmations : Reaction
{
    public Confirmations(IConfirmationSender sender)
        : base("confirmations")
    {
        StartFrom(ReactionStart.Head);
        KeyBy("student");
        On<StudentSubscribed>(async (e, context, cancellationToken) =>
        {
            var addresses = context.Services.GetRequiredService<StudentAddresses>();
            await sender.SendAsync(await addresses.FindAsync(e.StudentId, cancellationToken), context.IdempotencyKey, cancellationToken);
        });
    }
}

public sealed class HostingSnippets : DocumentCode
{
    [Fact]
    public async Task Store_projection_and_health_check()
    {
        string[] args = ["--Opossum:Path=hosted", "--urls=http://127.0.0.1:0"];

        var builder = WebApplication.CreateBuilder(args);
        builder.Services
            .AddOpossum(
                builder.Configuration.GetSection("Opossum"),
                options => options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>())
            .AddProjection<CourseSeats>();
        builder.Services.AddHealthChecks().AddOpossum();
        var app = builder.Build();
        app.MapHealthChecks("/health");
        app.MapGet("/courses/{id}", async (string id, long? after, IProjectionStore<SeatCount> courses, CancellationToken cancellationToken) =>
        {
            if (after is { } position)
            {
                // A client may ask for a position that is never reached.
                using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
                patience.CancelAfter(TimeSpan.FromSeconds(2));
                try
                {
                    await courses.WaitForAsync(position, patience.Token);
                }
                catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
                {
                    return Results.StatusCode(StatusCodes.Status503ServiceUnavailable);
                }
            }
            return await courses.GetAsync(id, cancellationToken) is { } course ? Results.Ok(course) : Results.NotFound();
        });

        await app.StartAsync(TestContext.Current.CancellationToken);
        var store = app.Services.GetRequiredService<IEventStore>();
        var appended = await store.AppendAsync([new NewEvent(new CourseDefined("c1", 2)), new NewEvent(new StudentSubscribed("c1", "s9"))]);
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        Assert.Equal(new SeatCount("c1", 1), await client.GetFromJsonAsync<SeatCount>(new Uri($"/courses/c1?after={appended.LastPosition}", UriKind.Relative)));
        Assert.Equal(HttpStatusCode.ServiceUnavailable, (await client.GetAsync(new Uri($"/courses/c1?after={appended.LastPosition + 1}", UriKind.Relative))).StatusCode);
        Assert.Equal(new SeatCount("c1", 1), await ActivatorUtilities.CreateInstance<SeatReport>(app.Services).OfAsync("c1"));
        Assert.Equal("Healthy", await client.GetStringAsync(new Uri("/health", UriKind.Relative)));
        await app.DisposeAsync();
    }

    [Fact]
    public async Task Configuration()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Opossum:Path"] = "configured",
            ["Opossum:LockTimeout"] = "00:00:30",
            ["Opossum:FlushEventsImmediately"] = "true",
            ["Opossum:Advanced:MaxPayloadBytes"] = "1048576",
            ["Opossum:Advanced:RecoveryPatience"] = "00:00:05",
            ["Opossum:Projections:WriteInterval"] = "00:00:00.2",
            ["Stores:Orders:Path"] = "orders",
            ["urls"] = "http://127.0.0.1:0",
        });

        builder.Services.AddOpossum(builder.Configuration.GetSection("Opossum"));
        builder.Services.AddKeyedOpossum("orders", builder.Configuration.GetSection("Stores:Orders"));
        builder.Services.AddSingleton<OrderReport>();

        builder.Services.Configure<OpossumOptions>(options => options.Advanced.MaxPayloadBytes = 1024 * 1024);
        builder.Services.Configure<ProjectionOptions>(options => options.MaxRetryAttempts = 10);

        await using var app = builder.Build();
        await app.StartAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, await app.Services.GetRequiredService<OrderReport>().CountAsync());
        await app.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Reaction()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { ["urls"] = "http://127.0.0.1:0" });
        builder.Services.AddOpossum(options =>
        {
            options.Path = "reacting";
            options.EventTypes.Add<StudentSubscribed>();
        });

        builder.Services.AddSingleton<IConfirmationSender, ConfirmationSender>();
        builder.Services.AddScoped<StudentAddresses>();
        builder.Services.AddOpossum().AddReaction<Confirmations>();

        await using var app = builder.Build();
        await app.StartAsync(TestContext.Current.CancellationToken);
        await app.Services.GetRequiredService<IEventStore>().AppendAsync(new NewEvent(new StudentSubscribed("c1", "s9")));
        Assert.Equal("s9@example.org", await ((ConfirmationSender)app.Services.GetRequiredService<IConfirmationSender>()).Sent.Task);
        await app.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Stores_on_demand()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Schools:Root"] = "schools",
            ["Schools:MaxOpen"] = "10",
            ["Schools:LockTimeout"] = "00:00:30",
            ["Schools:Projections:WriteInterval"] = "00:00:00.2",
            ["urls"] = "http://127.0.0.1:0",
        });

        builder.Services
            .AddOpossumStores(
                builder.Configuration.GetSection("Schools"),
                options => options.Store.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>())
            .AddProjection<CourseSeats>();
        builder.Services.AddHealthChecks().AddOpossumStores();

        await using var app = builder.Build();
        app.MapPost("/{school}/courses/{id}", async (string school, string id, int seats, IEventStores stores, CancellationToken cancellationToken) =>
        {
            using var handle = await stores.OpenAsync(school, cancellationToken: cancellationToken);
            var appended = await handle.Store.AppendAsync(new NewEvent(new CourseDefined(id, seats)), cancellationToken: cancellationToken);
            await handle.Store.Projections.Get<SeatCount>().WaitForAsync(appended.LastPosition, cancellationToken);
            return await handle.Store.Projections.Get<SeatCount>().GetAsync(id, cancellationToken);
        });
        await app.StartAsync(TestContext.Current.CancellationToken);
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        var defined = await client.PostAsync(new Uri("/north/courses/c1?seats=2", UriKind.Relative), content: null);
        Assert.Equal(new SeatCount("c1", 2), await defined.Content.ReadFromJsonAsync<SeatCount>());
        Assert.Equal(["north"], await app.Services.GetRequiredService<IEventStores>().ListAsync());
        await app.StopAsync(TestContext.Current.CancellationToken);
    }
}
