namespace Opossum.ProcessTests.Worker;

/// <summary>A class that fits the stored events.</summary>
[EventType("order-placed")]
internal sealed record OrderPlaced([property: Tag("order")] string OrderId, int Total, Person? By);

/// <summary>A class that has got a required member, without a new version.</summary>
[EventType("order-shipped")]
internal sealed record OrderShipped([property: Tag("order")] string OrderId, int Total, Person By, string Carrier);

/// <summary>A class with a second version, whose upcaster would be registered in code.</summary>
[EventType("order-paid", Version = 2)]
internal sealed record OrderPaid([property: Tag("order")] string OrderId, [property: Tag("invoice")] string? Invoice = null);

internal sealed record Person(string Name);
