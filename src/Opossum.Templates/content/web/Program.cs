using Opossum;

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

app.Run();

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
