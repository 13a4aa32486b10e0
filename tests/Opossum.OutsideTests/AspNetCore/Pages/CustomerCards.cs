namespace Opossum.AspNetCoreTests.Pages;

public sealed record CustomerCard([property: Personal("customer")] string? Name, string City);

/// <summary>A projection whose states contain personal data.</summary>
public sealed class CustomerCards : Projection<CustomerCard>
{
    public CustomerCards()
        : base("customer-cards") =>
        On<CustomerRegistered>(static e => e.CustomerId, static (_, e) => new CustomerCard(e.Name, e.City));
}
