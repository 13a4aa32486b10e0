using System.Globalization;
using Opossum;

namespace OrderDesk;

/// <summary>The people at the desk: they place orders, and most of them pay.</summary>
internal sealed class Customers(IEventStore store)
{
    private static readonly string[] names = ["ada", "ben", "cleo", "dan", "eve", "fay"];

    public async Task PlaceAndPayAsync(int orders, string desk, CancellationToken cancellationToken)
    {
        for (var number = 1; number <= orders; number++)
        {
            var (order, customer) = (string.Create(CultureInfo.InvariantCulture, $"{desk}-{number}"), names[(number - 1) % names.Length]);
            var placed = new OrderPlaced(order, $"{customer}@example.org", 10m * number);
            await store.AppendAsync(new NewEvent(placed), cancellationToken: cancellationToken);
            Console.WriteLine($"order {order}: placed by {customer}, {placed.Euros:0.00} EUR");
            // Every third one forgets to pay.
            if (number % 3 != 0)
                await PayAsync(order, cancellationToken);
        }
    }

    private async Task PayAsync(string order, CancellationToken cancellationToken)
    {
        var result = await store.ExecuteDecisionAsync(Order.Of(order),
            state => state is { IsPaid: false, IsExpired: false } ? [new NewEvent(new OrderPaid(order))] : [], cancellationToken: cancellationToken);
        Console.WriteLine(result.Appended is null ? $"order {order}: cannot be paid" : $"order {order}: paid");
    }
}
