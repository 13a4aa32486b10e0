using System.Text.Json.Nodes;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Personal;

/// <summary>A placeholder stands for what was lost, never for what was not there.</summary>
public sealed class PlaceholderTests : IDisposable
{
    private static readonly Tag ann = new("customer", "c1");
    private static readonly Tag bob = new("person", "p1");

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Null_stays_null_in_an_event_in_which_another_member_is_lost()
    {
        var store = Open();
        await store.AppendAsync(
        [
            new NewEvent(new Met("c1", "Ann", Phone: null, [new Guest("p1", null), new Guest("p2", "Cleo")])),
            new NewEvent(new Met("c1", Name: null, "555", [new Guest("p1", "Bob"), new Guest("p2", null)])),
        ]);

        await store.ForgetAsync(bob, "asked for it");
        await AssertAsync(store, new Met("c1", "Ann", null, [new Guest("p1", null), new Guest("p2", "Cleo")]),
            new Met("c1", null, "555", [new Guest("p1", "(forgotten)"), new Guest("p2", null)]));

        await store.ForgetAsync(ann, "asked for it");
        await AssertAsync(store, new Met("c1", "(forgotten)", null, [new Guest("p1", null), new Guest("p2", "Cleo")]),
            new Met("c1", null, "(forgotten)", [new Guest("p1", "(forgotten)"), new Guest("p2", null)]));
    }

    [Fact]
    public async Task Without_a_master_key_null_stays_null()
    {
        await Open().AppendAsync([new NewEvent(new Met("c1", "Ann", Phone: null, []))]);
        place.CloseStores();

        await AssertAsync(Open(key: null), new Met("c1", "(forgotten)", null, []));
    }

    [Fact]
    public async Task An_upcaster_moves_what_is_lost_and_adds_what_is_not()
    {
        var first = Open(types => types.AddPersonal("renamed", "fullName", "customer").AddPersonal("renamed", "mail", "customer"));
        await first.AppendAsync(
        [
            NewEvent.FromJson("renamed", """{"fullName":"Ann","mail":null}""", ann),
            NewEvent.FromJson("renamed", """{"fullName":null,"mail":"a@b"}""", ann),
        ]);
        place.CloseStores();
        var store = Open(types => types.Add<Renamed>().AddUpcaster("renamed", 1, static json =>
        {
            json["name"] = json["fullName"]?.DeepClone();
            json.AsObject().Remove("fullName");
            return json;
        }).AddUpcaster("renamed", 2, static json =>
        {
            json["phone"] = null;
            return json;
        }));
        await store.ForgetAsync(ann, "asked for it");

        var events = await store.ReadAllAsync();
        // Whether the new member has the value of the one that is gone is not known: it is said to be lost.
        Assert.Equal(new Renamed("(forgotten)", null, "(forgotten)"), events[0].Data);
        Assert.Equal(new Renamed(null, "(forgotten)", null), events[1].Data);
    }

    [Fact]
    public async Task Null_in_a_state_is_null_before_and_after_and_when_the_state_is_written_again()
    {
        var store = Open();
        var runner = store.StartProjections([new Cards()]);
        var cards = store.Projections.Get<Card>();
        var met = new Met("c1", "Ann", Phone: null, [new Guest("p1", "Bob"), new Guest("p2", null)]);
        await store.AppendAsync([new NewEvent(met)]);
        await AssertAsync(1, new Card("Ann", null, met.Guests, 1));

        await AssertAsync((await store.ForgetAsync(bob, "asked for it")).Position!.Value,
            new Card("Ann", null, [new Guest("p1", "(forgotten)"), new Guest("p2", null)], 1));
        await store.AppendAsync([NewEvent.FromJson("visited", "{}", ann)]);
        await AssertAsync(3, new Card("Ann", null, [new Guest("p1", "(forgotten)"), new Guest("p2", null)], 2));

        await AssertAsync((await store.ForgetAsync(ann, "asked for it")).Position!.Value,
            new Card("(forgotten)", null, [new Guest("p1", "(forgotten)"), new Guest("p2", null)], 2));
        await store.AppendAsync([NewEvent.FromJson("visited", "{}", ann)]);
        await AssertAsync(5, new Card("(forgotten)", null, [new Guest("p1", "(forgotten)"), new Guest("p2", null)], 3));
        await runner.DisposeAsync();
        await store.DisposeAsync();

        store = Open();
        runner = store.StartProjections([new Cards()]);
        cards = store.Projections.Get<Card>();
        await store.AppendAsync([NewEvent.FromJson("visited", "{}", ann)]);
        await AssertAsync(6, new Card("(forgotten)", null, [new Guest("p1", "(forgotten)"), new Guest("p2", null)], 4));
        var stored = (await store.Projections["cards"].GetStoredStateAsync("c1"))!;
        var members = JsonNode.Parse(stored.State)!.AsObject();
        Assert.Equal("customer:c1 ", (string?)members["name"]!["$sealed"]);
        Assert.True(members.TryGetPropertyValue("phone", out var phone) && phone is null);
        Assert.DoesNotContain("(forgotten)", members.ToJsonString(), StringComparison.Ordinal);
        Assert.Null((await store.Projections.Get<JsonNode>("cards").GetAsync("c1"))!["name"]);

        async Task AssertAsync(long position, Card expected)
        {
            await runner.WaitForAsync(position, TestContext.Current.CancellationToken);
            Assert.Equivalent(expected, await cards.GetAsync("c1"), strict: true);
        }
    }

    private static async Task AssertAsync(FileSystemEventStore store, params Met[] expected)
    {
        var events = await store.ReadAllAsync();
        for (var at = 0; at < expected.Length; at++)
            Assert.Equivalent(expected[at], events[at].Data, strict: true);
    }

    private FileSystemEventStore Open(Func<EventTypeRegistry, EventTypeRegistry>? add = null) => Open(Customers.Key, add);

    private FileSystemEventStore Open(MasterKey? key, Func<EventTypeRegistry, EventTypeRegistry>? add = null) => place.Open(options =>
    {
        options.EventTypes.Add<Met>();
        add?.Invoke(options.EventTypes);
        options.PersonalData.MasterKey = key;
    });

    [EventType("met")]
    private sealed record Met([property: Tag("customer")] string Id, [property: Personal("customer", Placeholder = "(forgotten)")] string? Name,
        [property: Personal("customer", Placeholder = "(forgotten)")] string? Phone, List<Guest> Guests);

    internal sealed record Guest(string Id,
        [property: Personal("person", SubjectProperty = nameof(Guest.Id), Placeholder = "(forgotten)")] string? Name);

    [EventType("renamed", Version = 3)]
    private sealed record Renamed([property: Personal("customer", Placeholder = "(forgotten)")] string? Name,
        [property: Personal("customer", Placeholder = "(forgotten)")] string? Mail,
        [property: Personal("customer", Placeholder = "(forgotten)")] string? Phone);

    internal sealed record Card([property: Personal("customer", Placeholder = "(forgotten)")] string? Name,
        [property: Personal("customer", Placeholder = "(forgotten)")] string? Phone, List<Guest> Guests, int Visits);

    private sealed class Cards : Projection<Card>
    {
        public Cards()
            : base("cards")
        {
            On<Met>(e => e.Id, (_, e) => new Card(e.Name, e.Phone, e.Guests, 1));
            On("visited", e => e.Tags[0].Value, (card, _) => card! with { Visits = card.Visits + 1 });
        }
    }
}
