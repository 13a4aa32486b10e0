namespace Opossum.Benchmarks;

/// <summary>An event that a decision is made on: read from JSON into an object, as an app does.</summary>
[EventType("order-changed")]
internal sealed record OrderChanged([property: Tag("order")] string Order, int Quantity);
