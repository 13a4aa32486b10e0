namespace Opossum.ProcessTests.Worker;

/// <summary>An event with personal data.</summary>
[EventType("customer-registered")]
internal sealed record CustomerRegistered([property: Tag("customer")] string CustomerId, [property: Personal("customer")] string? Name)
{
    public static CustomerRegistered Of(string id) => new(id, $"Name of {id}");
}
