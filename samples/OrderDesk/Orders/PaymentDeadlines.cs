using Opossum;

namespace OrderDesk;

/// <summary>Lets an order expire that is not paid in time, also when the program did not run at that moment: then as soon as it runs.</summary>
internal sealed class PaymentDeadlines : Reaction
{
    /// <param name="paymentTime">The time from the order to its end.</param>
    public PaymentDeadlines(TimeSpan paymentTime)
        : base("payment-deadlines")
    {
        StartFrom(ReactionStart.Beginning);
        KeyBy("order");
        // The time is that of the event, not of this attempt, so every attempt schedules the same. Whether the order is paid is judged in the append.
        On<OrderPlaced>((placed, context, cancellationToken) => context.ScheduleAsync(context.Event.Timestamp + paymentTime,
            new NewEvent(new OrderExpired(placed.Order)), Query.For<OrderPaid>(new Tag("order", placed.Order)), cancellationToken));
    }
}
