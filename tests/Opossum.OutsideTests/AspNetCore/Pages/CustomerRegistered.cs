namespace Opossum.AspNetCoreTests.Pages;

[EventType("customer-added")]
public sealed record CustomerRegistered(
    [property: Tag("customer")] string CustomerId,
    [property: Personal("customer")] string? Name,
    [property: Personal("customer", Placeholder = "(forgotten)")] string Email,
    string City);
