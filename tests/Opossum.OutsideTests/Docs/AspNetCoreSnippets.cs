using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.DocTests;

public sealed class AspNetCoreSnippets : DocumentCode
{
    [Fact]
    public async Task An_app_with_all_of_it()
    {
        string[] args = ["--Opossum:Path=aspnetcore", "--urls=http://127.0.0.1:0"];

        var builder = WebApplication.CreateBuilder(args);
        builder.Services
            .AddOpossum(builder.Configuration.GetSection("Opossum"), options => options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>())
            .AddProjection<CourseSeats>();
        builder.Services.AddOpossumProblemDetails();

        var app = builder.Build();
        app.UseExceptionHandler();
        app.MapGet("/courses/{id}", async (string id, IProjectionStore<SeatCount> courses) => await courses.GetAsync(id)).WaitForPosition<SeatCount>();
        app.MapOpossum().AllowAnonymous();

        await app.StartAsync(TestContext.Current.CancellationToken);
        var appended = await app.Services.GetRequiredService<IEventStore>().AppendAsync(new NewEvent(new CourseDefined("c1", 3)));
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        Assert.Contains("c1", await client.GetStringAsync($"/courses/c1?after={appended.LastPosition}"), StringComparison.Ordinal);
        Assert.Contains("Healthy", await client.GetStringAsync("/opossum/store"), StringComparison.Ordinal);
        await app.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Waiting_and_pages()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Configuration["urls"] = "http://127.0.0.1:0";
        builder.Services.AddOpossum(options =>
        {
            options.Path = "aspnetcore-waiting";
            options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>();
        }).AddProjection<CourseSeats>();
        builder.Services.AddKeyedOpossum("orders", options => options.Path = "aspnetcore-orders");
        builder.Services.AddOpossumStores(options => options.Root = "aspnetcore-schools");
        builder.Services.AddAuthentication();
        builder.Services.AddAuthorizationBuilder().AddPolicy("operators", policy => policy.RequireAssertion(_ => true));
        builder.Services.AddAntiforgery();

        builder.Services.Configure<RouteHandlerOptions>(options => options.ThrowOnBadRequest = true);

        await using var app = builder.Build();

        app.MapGet("/courses/{id}", GetCourseAsync).WaitForPosition<SeatCount>();
        app.MapGet("/events/count", (IEventStore store) => store.GetHeadAsync()).WaitForPosition(limit: TimeSpan.FromSeconds(2));

        app.MapOpossum("/admin/events").RequireAuthorization("operators");
        app.MapOpossum("/opossum/orders", "orders", withActions: true).RequireAuthorization("operators");

        app.MapOpossumStores("/schools/events").RequireAuthorization("operators");

        await app.StartAsync(TestContext.Current.CancellationToken);
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        Assert.Equal("0", await client.GetStringAsync("/events/count?after=0"));
        Assert.Equal(HttpStatusCode.BadRequest, (await client.GetAsync("/courses/c1?after=-1")).StatusCode);
        Assert.Contains("The store is empty.", await client.GetStringAsync("/admin/events/"), StringComparison.Ordinal);
        Assert.Contains("There is no store yet.", await client.GetStringAsync("/schools/events/"), StringComparison.Ordinal);
        Assert.Contains("Opossum: orders", await client.GetStringAsync("/opossum/orders/"), StringComparison.Ordinal);
        await app.StopAsync(TestContext.Current.CancellationToken);

        static async Task<IResult> GetCourseAsync(string id, IProjectionStore<SeatCount> courses) =>
            await courses.GetAsync(id) is { } course ? Results.Ok(course) : Results.NotFound();
    }

    [ApiController]
    private sealed class CoursesController(IProjectionStore<SeatCount> courses) : ControllerBase
    {
        [HttpGet("/courses/{id}")]
        [WaitForPosition<SeatCount>]
        public Task<SeatCount?> Get(string id) => courses.GetAsync(id);
    }
}
