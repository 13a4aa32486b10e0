using System.Net;
using System.Net.Http.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Opossum.DocTests;

namespace Opossum.FirstHour;

[EventType("order-taken")]
public record OrderTaken([property: Tag("order")] string OrderId, [property: Tag("customer")] string CustomerId, decimal Total);

public record CustomerTotal(string CustomerId, int Orders, decimal Total);

public sealed class CustomerTotals : Projection<CustomerTotal>
{
    public CustomerTotals() : base("customer-totals")
    {
        On<OrderTaken>(e => e.CustomerId, (sum, e) =>
            new CustomerTotal(e.CustomerId, (sum?.Orders ?? 0) + 1, (sum?.Total ?? 0) + e.Total));
    }
}

public sealed class FirstHourSnippets : DocumentCode
{
    [Fact]
    public async Task An_order_is_taken_once_and_counted()
    {
        string[] args = ["--Opossum:Path=first-hour", "--urls=http://127.0.0.1:0"];

        var builder = WebApplication.CreateBuilder(args);
        builder.Services
            .AddOpossum(builder.Configuration.GetSection("Opossum"), options => options.EventTypes.Add<OrderTaken>())
            .AddProjection<CustomerTotals>();
        builder.Services.AddOpossumProblemDetails();
        builder.Services.AddHealthChecks().AddOpossum();
        // A request without a member, or with null in its place, is refused with 400.
        builder.Services.ConfigureHttpJsonOptions(options =>
        {
            options.SerializerOptions.RespectRequiredConstructorParameters = true;
            options.SerializerOptions.RespectNullableAnnotations = true;
        });
        var app = builder.Build();
        app.UseExceptionHandler();

        app.MapPost("/orders", async (OrderTaken order, IEventStore store, CancellationToken cancellationToken) =>
        {
            // An event without a customer, or with a sum that is too large to be added, would stop the totals of all customers.
            if (order is { OrderId: "" } or { CustomerId: "" } or { Total: < 0 or > 1_000_000 })
                return Results.BadRequest();
            // Answered with 409 if an event with this order's tag exists: an order is taken once, however often it is sent.
            var isNew = new AppendCondition(Query.FromTags(new Tag("order", order.OrderId)));
            var appended = await store.AppendAsync(new NewEvent(order), isNew, cancellationToken);
            return Results.Ok(new { position = appended.LastPosition });
        });
        app.MapGet("/customers/{id}", async (string id, IProjectionStore<CustomerTotal> totals, CancellationToken cancellationToken) =>
            await totals.GetAsync(id, cancellationToken) is { } total ? Results.Ok(total) : Results.NotFound());
        app.MapHealthChecks("/health");

        var cancellation = TestContext.Current.CancellationToken;
        await app.StartAsync(cancellation);
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        var order = new OrderTaken("o1", "c1", 20);
        using var first = await client.PostAsJsonAsync("/orders", order, cancellation);
        using var second = await client.PostAsJsonAsync("/orders", order, cancellation);
        foreach (var (id, customer, sum) in new[] { ("", "c1", 5), ("o2", "", 5), ("o2", "c1", decimal.MaxValue), ("o2", "c1", decimal.MinValue),
            (new string('o', Tag.MaxValueLength + 1), "c1", 5) })
        {
            using var refused = await client.PostAsJsonAsync("/orders", new OrderTaken(id, customer, sum), cancellation);
            Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        }
        await app.Services.GetRequiredService<IProjectionStore<CustomerTotal>>().WaitForAsync(1, cancellation);
        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.Conflict), (first.StatusCode, second.StatusCode));
        Assert.Equal(new CustomerTotal("c1", 1, 20), await client.GetFromJsonAsync<CustomerTotal>("/customers/c1", cancellation));
        Assert.Equal("Healthy", await client.GetStringAsync("/health", cancellation));
        await app.DisposeAsync();
    }
}
