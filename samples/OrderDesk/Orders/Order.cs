using Opossum;

namespace OrderDesk;

/// <summary>What the desk knows of an order when it decides, or writes a mail.</summary>
internal sealed record Order(string Customer, decimal Euros, bool IsPaid = false, bool IsExpired = false)
{
    /// <summary>The order's state; null while it is not placed.</summary>
    public static DecisionProjection<Order?> Of(string order) =>
        DecisionProjection.Create((Order?)null, new Tag("order", order))
            .On<OrderPlaced>((_, placed) => new Order(placed.Customer, placed.Euros))
            .On<OrderPaid>((order, _) => order! with { IsPaid = true })
            .On<OrderExpired>((order, _) => order! with { IsExpired = true });
}
