namespace Opossum.CliTests;

/// <summary>A small store: orders of two customers on two days.</summary>
internal static class Sales
{
    public static readonly DateTimeOffset FirstDay = new(2026, 11, 20, 9, 0, 0, TimeSpan.Zero);

    /// <summary>Creates the store with four events: 1 and 2 on the first day, 3 and 4, one append, on the next.</summary>
    public static async Task CreateAsync(string path)
    {
        var clock = new SettableClock(FirstDay);
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, TimeProvider = clock });
        await store.AppendAsync(Order("order-placed", "o1", "c1", 20));
        clock.Now += TimeSpan.FromHours(1);
        await store.AppendAsync(Order("order-placed", "o2", "c2", 35));
        clock.Now += TimeSpan.FromDays(1);
        await store.AppendAsync([Order("order-shipped", "o1", "c1", 20), Order("order-placed", "o3", "c1", 5)]);
    }

    public static NewEvent Order(string type, string order, string customer, int total) =>
        NewEvent.FromJson(type, $$"""{"orderId":"{{order}}","total":{{total}},"by":{"name":"Ada"} }""",
            new Tag("order", order), new Tag("customer", customer)) with
        {
            Metadata = new Dictionary<string, string> { ["correlation"] = order },
        };
}
