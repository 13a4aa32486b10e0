using Opossum.Testing;

namespace Opossum.DocTests;

[Collection(nameof(TemporaryFolder))]
public sealed class ReactionsSnippets
{
    private static readonly EventTypeRegistry types = new EventTypeRegistry().Add<OrderPlaced>().Add<OrderPaid>().Add<OrderExpired>();

    [Fact]
    public async Task Time()
    {
        var placed = Scenario.Of(types).React((_, _) => new PaymentDeadlines()).When(new OrderPlaced("o1"));
        await placed.After(TimeSpan.FromDays(6)).ThenAsync();
        var outcome = await placed.After(TimeSpan.FromDays(2)).ThenAsync(new OrderExpired("o1"));
        Assert.Empty(outcome.Calls);

        var paid = Scenario.Of(types).React((_, _) => new PaymentDeadlines()).When(new OrderPlaced("o1")).When(new OrderPaid("o1"));
        await paid.After(TimeSpan.FromDays(8)).ThenAsync();
    }

    [EventType("invoice-order-placed")]
    private sealed record OrderPlaced([property: Tag("order")] string OrderId);

    [EventType("invoice-order-paid")]
    private sealed record OrderPaid([property: Tag("order")] string OrderId);

    [EventType("invoice-order-expired")]
    private sealed record OrderExpired([property: Tag("order")] string OrderId);

    private sealed class PaymentDeadlines : Reaction
    {
        public PaymentDeadlines()
            : base("payment-deadlines")
        {
            StartFrom(ReactionStart.Beginning);
            KeyBy("order");
            On<OrderPlaced>((placed, context, cancellationToken) => context.ScheduleAsync(
                context.Event.Timestamp + TimeSpan.FromDays(7),
                new NewEvent(new OrderExpired(placed.OrderId)),
                unless: Query.For<OrderPaid>(new Tag("order", placed.OrderId)),
                cancellationToken));
        }
    }
}
