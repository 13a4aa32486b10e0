using Opossum.Testing;

namespace Opossum.TestingTests.Examples;

[EventType("shop-order-placed")]
internal sealed record ShopOrderPlaced([property: Tag("order")] string Order, string Customer);

[EventType("shop-order-paid")]
internal sealed record ShopOrderPaid([property: Tag("order")] string Order);

[EventType("shop-reminder-noted")]
internal sealed record ShopReminderNoted([property: Tag("order")] string Order);

[EventType("shop-confirmation-sent")]
internal sealed record ShopConfirmationSent([property: Tag("order")] string Order);

/// <summary>A reaction to paid orders; a test says what it does.</summary>
internal sealed class ShopReaction : Reaction
{
    public ShopReaction(Func<ShopOrderPaid, ReactionContext, CancellationToken, Task> handle)
        : base("shop")
    {
        StartFrom(ReactionStart.Beginning);
        KeyBy("order");
        On(handle);
    }

    public static EventTypeRegistry Types { get; } =
        new EventTypeRegistry().Add<ShopOrderPlaced>().Add<ShopOrderPaid>().Add<ShopReminderNoted>().Add<ShopConfirmationSent>();

    /// <summary>Sends a mail with the idempotency key, and notes in the store that it is sent.</summary>
    public static ShopReaction Correct(IEventStore store, ReactionCalls calls) => new(async (paid, context, cancellationToken) =>
    {
        var placed = await store.ReadAsync(Query.For<ShopOrderPlaced>(new Tag("order", paid.Order)), cancellationToken: cancellationToken)
            .FirstAsync(cancellationToken);
        calls.Record($"mail to {((ShopOrderPlaced)placed.Data!).Customer}", context.IdempotencyKey);
        await context.AppendAsync(new NewEvent(new ShopConfirmationSent(paid.Order)), cancellationToken: cancellationToken);
    });
}
