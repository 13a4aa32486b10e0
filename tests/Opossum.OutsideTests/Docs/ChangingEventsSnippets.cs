using Opossum.Maintenance;
using Opossum.Testing;

namespace Opossum.DocTests;

[EventType("guest-registered", Version = 2)]
public record GuestRegistered([property: Tag("guest")] string GuestId, string DisplayName);

[EventType("table-booked", Version = 2)]
public record TableBooked([property: Tag("guest")] string GuestId, DateOnly Day, TimeOnly Time);

[EventType("menu-priced", Version = 2)]
public record MenuPriced([property: Tag("menu")] string MenuId, Price Price);

public record Price(decimal Amount, string Currency);

[EventType("order-shipped", Version = 3)]
public record OrderShipped([property: Tag("order")] string OrderId, string Carrier);

[EventType("address-changed")]
public record AddressChanged([property: Tag("customer")] string CustomerId, string Address);

[EventType("customer-moved")]
public record CustomerMoved([property: Tag("customer")] string CustomerId, string Address, DateOnly From);

[EventType("address-corrected")]
public record AddressCorrected([property: Tag("customer")] string CustomerId, string Address);

public static class Addresses
{
    public static DecisionProjection<string?> Of(string customer) =>
        DecisionProjection.Create<string?>(null, new Tag("customer", customer))
            .On<AddressChanged>((_, e) => e.Address)
            .On<CustomerMoved>((_, e) => e.Address)
            .On<AddressCorrected>((_, e) => e.Address);
}

public static class ShopEvents
{
    public static EventTypeRegistry Register(EventTypeRegistry types) => types
        .Add<GuestRegistered>()
        .AddUpcaster("guest-registered", fromVersion: 1, json =>
        {
            var members = json.AsObject();
            members["displayName"] = members["name"]?.DeepClone();
            members.Remove("name");
            return members;
        })
        .Add<TableBooked>()
        .AddUpcaster("table-booked", fromVersion: 1, json =>
        {
            var members = json.AsObject();
            var at = (DateTime)members["at"]!;
            members["day"] = at.ToString("yyyy-MM-dd");
            members["time"] = at.ToString("HH:mm:ss");
            members.Remove("at");
            return members;
        })
        .Add<MenuPriced>()
        .AddUpcaster("menu-priced", fromVersion: 1, json => new System.Text.Json.Nodes.JsonObject
        {
            ["menuId"] = json["menuId"]?.DeepClone(),
            ["price"] = new System.Text.Json.Nodes.JsonObject
            {
                ["amount"] = json["amount"]?.DeepClone(),
                ["currency"] = json["currency"]?.DeepClone(),
            },
        })
        .Add<OrderShipped>()
        .AddUpcaster("order-shipped", fromVersion: 1, json =>
        {
            json["carrier"] = "unknown";
            return json;
        })
        .AddUpcaster("order-shipped", fromVersion: 2, json =>
        {
            json.AsObject().Remove("remark");
            return json;
        })
        .Add<AddressChanged>().Add<CustomerMoved>().Add<AddressCorrected>();
}

public sealed class ChangingEventsSnippets : DocumentCode
{
    [Fact]
    public async Task Old_json_is_read_as_todays_objects()
    {
        var options = new OpossumOptions();
        ShopEvents.Register(options.EventTypes);
        await using var store = InMemoryEventStore.Open(options);
        await store.AppendAsync(
        [
            NewEvent.FromJson("guest-registered", """{ "guestId": "g1", "name": "Ada" }"""),
            NewEvent.FromJson("table-booked", """{ "guestId": "g1", "at": "2026-11-21T19:30:00" }"""),
            NewEvent.FromJson("menu-priced", """{ "menuId": "m1", "amount": 12.5, "currency": "EUR" }"""),
            NewEvent.FromJson("order-shipped", """{ "orderId": "o1", "remark": "fragile" }"""),
            NewEvent.FromJson("order-shipped", """{ "orderId": "o2", "carrier": "ship", "remark": "" }""", version: 2),
        ]);

        var data = await store.ReadAsync(Query.All).Select(e => e.Data).ToListAsync();

        Assert.Equal(
            [
                new GuestRegistered("g1", "Ada"),
                new TableBooked("g1", new DateOnly(2026, 11, 21), new TimeOnly(19, 30)),
                new MenuPriced("m1", new Price(12.5m, "EUR")),
                new OrderShipped("o1", "unknown"),
                new OrderShipped("o2", "ship"),
            ],
            data);
    }

    [Fact]
    public async Task A_split_type_is_read_together_with_the_old_one()
    {
        var options = new OpossumOptions();
        ShopEvents.Register(options.EventTypes);
        await using var store = InMemoryEventStore.Open(options);
        await store.AppendAsync(new NewEvent(new AddressChanged("c1", "Old Road 1")));
        await store.AppendAsync(new NewEvent(new CustomerMoved("c1", "New Road 2", new DateOnly(2026, 12, 1))));

        Assert.Equal("New Road 2", (await store.BuildDecisionModelAsync(Addresses.Of("c1"))).State);
    }

    [Fact]
    public async Task Dry_run()
    {
        var Console = new PrintedLines();
        await using (var before = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "copy-of-the-store" }))
            await before.AppendAsync([NewEvent.FromJson("guest-registered", """{ "guestId": "g1", "name": "Ada" }""", new Tag("guest", "g1"))]);

        var options = new OpossumOptions { Path = "copy-of-the-store", ReadOnly = true };
        ShopEvents.Register(options.EventTypes);
        await using var store = await FileSystemEventStore.OpenAsync(options);
        var report = await store.CheckEventTypesAsync();
        Console.WriteLine(report);

        Assert.True(report.IsClean);
        Assert.Contains("1 event up to position 1: all can be read as objects", Console.TakeAll()[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Lock()
    {
        EventTypesAreThoseOfTheLock("event-types.json", update: true);
        EventTypesAreThoseOfTheLock("event-types.json", update: Environment.GetEnvironmentVariable("UPDATE_EVENT_TYPES") == "1");

        Assert.Contains("""
              "order-shipped": {
                "version": 3,
                "tags": [
                  "order"
                ],
                "members": {
                  "orderId": "string",
                  "carrier": "string"
                }
              }
            """.ReplaceLineEndings("\n"), File.ReadAllText("event-types.json"), StringComparison.Ordinal);
    }

    private static void EventTypesAreThoseOfTheLock(string file, bool update)
    {
        var types = ShopEvents.Register(new EventTypeRegistry());
        if (update)
            File.WriteAllText(file, EventTypeLock.Create(types));

        var changes = EventTypeLock.Compare(File.ReadAllText(file), types);

        Assert.True(changes.IsUnchanged, changes.ToString());
    }
}
