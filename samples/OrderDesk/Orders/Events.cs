using Opossum;

namespace OrderDesk;

[EventType("order-placed")]
internal sealed record OrderPlaced([property: Tag("order")] string Order, string Customer, decimal Euros);

[EventType("order-paid")]
internal sealed record OrderPaid([property: Tag("order")] string Order);

[EventType("order-expired")]
internal sealed record OrderExpired([property: Tag("order")] string Order);

[EventType("confirmation-sent")]
internal sealed record ConfirmationSent([property: Tag("order")] string Order);

[EventType("desk-closed")]
internal sealed record DeskClosed([property: Tag("desk")] string Desk);

[EventType("closing-published")]
internal sealed record ClosingPublished([property: Tag("desk")] string Desk);
