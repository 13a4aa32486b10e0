using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Opossum.Personal;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Personal;

/// <summary>JSON that is appended for a registered class: matched with its members as the class is read.</summary>
public sealed class PersonalJsonTests : IDisposable
{
    private static readonly Tag ann = new("customer", "c1");

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData("""{"Email":"SECRET"}""", "Email")]
    [InlineData("""{"EMAIL":"SECRET","address":{"STREET":"SECRET","city":"x"}}""", "EMAIL", "address.STREET")]
    [InlineData("""{"\u0045mail":"SECRET"}""", "Email")]
    [InlineData("""{"Contacts":[null,{"PHONE":"SECRET","personID":"p2"}]}""", "Contacts[1].PHONE")]
    [InlineData("""{"byRole":{"Host":{"phone":"SECRET","personId":"p2"},"host":null}}""", "byRole.Host.phone")]
    [InlineData("""{"pet":{"$type":"dog","OWNER":"SECRET","puppy":{"$type":"dog","owner":"SECRET"}}}""", "pet.OWNER", "pet.puppy.owner")]
    [InlineData("""{"pet":{"$type":"cat","owner":"stays"}}""")]
    public async Task Members_are_matched_without_regard_to_case_where_the_class_is_read_so(string json, params string[] paths)
    {
        var store = Open(static types => types.Add<Customer>());
        await store.AppendAsync([NewEvent.FromJson("customer", json, ann)]);

        AssertNowhere();
        var e = Assert.Single(await store.ReadAllAsync());
        Assert.IsType<Customer>(e.Data);
        await store.ForgetAsync(ann, "asked for it");
        await store.ForgetAsync(new Tag("person", "p2"), "asked for it");
        Assert.Equal(paths, (await store.ReadAllAsync())[0].UnreadableMembers.Select(static each => each.Path));
    }

    [Theory]
    [InlineData("""{"contacts":{"phone":"SECRET","personId":"p2"}}""", "contacts")]
    [InlineData("""{"address":"SECRET"}""", "address")]
    [InlineData("""{"address":[{"street":"SECRET"}]}""", "address")]
    [InlineData("""{"e-mail":"SECRET"}""", "e-mail")]
    [InlineData("""{"byRole":[{"phone":"SECRET","personId":"p2"}]}""", "byRole")]
    [InlineData("""{"pet":{"$type":"fish","owner":"SECRET"}}""", "fish")]
    [InlineData("""["SECRET"]""", "Customer")]
    [InlineData("\"SECRET\"", "Customer")]
    public async Task Json_that_does_not_fit_a_class_with_personal_members_is_refused(string json, string what)
    {
        var store = Open(static types => types.Add<Customer>());

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("customer", json, ann)]));

        Assert.Contains(what, refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("SECRET", refused.Message, StringComparison.Ordinal);
        Assert.Equal(0, await store.GetHeadAsync());
    }

    [Theory]
    [InlineData("{\"name\":\"a\0b\"}")]
    [InlineData("{\"name\":")]
    [InlineData("[1,")]
    [InlineData("")]
    public void Stored_data_that_is_no_json_is_an_error_that_names_the_event(string json)
    {
        var error = Assert.Throws<PersonalDataException>(() =>
            SealedValues.Open(Encoding.UTF8.GetBytes(json), keys: null!, SealedPlace.OfEvent(Guid.Empty, position: 7)));

        Assert.StartsWith("The event at position 7 cannot be read: it is not valid JSON. ", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Where_case_counts_a_member_that_differs_only_in_case_is_refused()
    {
        var store = Open(static types => types.Add<Customer>().AllowUnknownOrMissingMembers().UseJsonSerializerOptions(new JsonSerializerOptions
        {
            PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        }));
        await store.AppendAsync([NewEvent.FromJson("customer", """{"email":"SECRET","other":1,"by_role":{"a":{"person_id":"p","phone":"SECRET"}}}""", ann)]);

        AssertNowhere();
        foreach (var json in new[] { """{"Email":"x"}""", """{"address":{"Street":"x"}}""", """{"Contacts":[]}""" })
            await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("customer", json, ann)]));
        Assert.Equal(1, await store.GetHeadAsync());
    }

    [Theory]
    [InlineData("""{"Name":"x"}""", "Name")]
    [InlineData("""{"contacts":{"phone":"x"}}""", "contacts")]
    [InlineData("""{"contacts":["x"]}""", "contacts[0]")]
    [InlineData("""{"contacts":"x"}""", "contacts")]
    [InlineData("""{"contacts":[{"Phone":"x"}]}""", "contacts[0].Phone")]
    [InlineData("""{"notes":["x"]}""", "notes")]
    [InlineData("""["x"]""", "data")]
    [InlineData("\"x\"", "data")]
    public async Task Json_that_does_not_fit_the_paths_of_a_type_without_a_class_is_refused(string json, string what)
    {
        var store = Open(static types => types.AddPersonal("t", "name", "customer").AddPersonal("t", "contacts[].phone", "customer")
            .AddPersonal("t", "notes{}", "customer"));

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("t", json, ann)]));

        Assert.Contains(what, refused.Message, StringComparison.Ordinal);
        await store.AppendAsync([NewEvent.FromJson("t", """{"name":null,"contacts":[null,{}],"notes":{"a":null},"names":1}""", ann),
            NewEvent.FromJson("t", "null"), NewEvent.FromJson("other", json)]);
    }

    [Theory]
    [InlineData("""{"id":1,"Id":2}""", "id and Id ")]
    [InlineData("""{"Id":1,"id":2}""", "Id and id ")]
    [InlineData("""{"inner":{"ID":1,"Id":2}}""", "inner.ID and inner.Id ")]
    public async Task Both_members_that_become_one_property_are_named(string json, string named)
    {
        var store = Open(static types => types.Add<Plain>());

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("plain", json)]));

        Assert.Contains($"Its members {named}become one property", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("""{"id":1,"Id":2}""")]
    [InlineData("""{"id":1,"\u0049D":2}""")]
    [InlineData("""{"inner":{"id":1,"Id":2}}""")]
    [InlineData("""{"list":[{},{"id":1,"ID":2}]}""")]
    [InlineData("""{"byName":{"a":{"id":1,"ID":2}}}""")]
    [InlineData("""{"perhaps":{"x":1,"X":2}}""")]
    [InlineData("""{"shape":{"$type":"square","side":1,"Side":2}}""")]
    [InlineData("""{"list":[],"List":[]}""")]
    public async Task Two_members_that_become_one_property_are_refused(string json)
    {
        var store = Open(static types => types.Add<Plain>());

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("plain", json)]));

        Assert.Contains("one property", refused.Message, StringComparison.Ordinal);
        await store.AppendAsync(
        [
            NewEvent.FromJson("plain", """{"ID":1,"byName":{"a":null,"A":null},"Inner":{"iD":1},"any":{"a":1,"A":2}}"""),
            NewEvent.FromJson("not-registered", json),
        ]);
        Assert.Equal(1, Assert.IsType<Plain>((await store.ReadAllAsync())[0].Data).Id);
    }

    [Fact]
    public async Task Json_of_an_older_version_needs_paths()
    {
        Func<EventTypeRegistry, EventTypeRegistry> add = static types => types.Add<Second>().AddUpcaster("versioned", 1, static json =>
        {
            json["name"] = json["fullName"]?.DeepClone();
            json.AsObject().Remove("fullName");
            return json;
        });
        var old = NewEvent.FromJson("versioned", """{"fullName":"SECRET"}""", ann);
        var store = Open(add);
        Assert.Contains("AddPersonal",
            (await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([old]))).Message, StringComparison.Ordinal);
        place.CloseStores();

        store = Open(types => add(types).AddPersonal("versioned", "fullName", "customer"));
        await store.AppendAsync([old, NewEvent.FromJson("versioned", """{"Name":"SECRET"}""", version: 2, ann)]);

        AssertNowhere();
        Assert.Equal([new Second("SECRET"), new Second("SECRET")], (await store.ReadAllAsync()).Select(static e => e.Data));
        await store.ForgetAsync(ann, "asked for it");
        Assert.Equal([new Second("nobody"), new Second("nobody")], (await store.ReadAllAsync())[..2].Select(static e => e.Data));
    }

    private FileSystemEventStore Open(Func<EventTypeRegistry, EventTypeRegistry> add) => place.Open(options =>
    {
        add(options.EventTypes);
        options.PersonalData.MasterKey = Customers.Key;
    });

    private void AssertNowhere()
    {
        foreach (var (path, bytes) in place.Snapshot())
            Assert.False(bytes is not null && bytes.AsSpan().IndexOf("SECRET"u8) >= 0, $"{path} contains a secret");
    }

    [EventType("customer")]
    private sealed record Customer
    {
        [Personal("customer")]
        public string? Email { get; init; }

        public Address? Address { get; init; }

        public List<Contact?>? Contacts { get; init; }

        public Dictionary<string, Contact?>? ByRole { get; init; }

        public Animal? Pet { get; init; }
    }

    [JsonDerivedType(typeof(Dog), "dog")]
    [JsonDerivedType(typeof(Cat), "cat")]
    private abstract record Animal;

    private sealed record Dog([property: Personal("customer")] string? Owner, Animal? Puppy = null) : Animal;

    private sealed record Cat(string? Owner) : Animal;

    [EventType("plain")]
    private sealed record Plain
    {
        public int Id { get; init; }

        public Plain? Inner { get; init; }

        public List<Plain>? List { get; init; }

        public Dictionary<string, Plain>? ByName { get; init; }

        public Point? Perhaps { get; init; }

        public Figure? Shape { get; init; }

        public object? Any { get; init; }
    }

    private readonly record struct Point(int X, int Y = 0);

    [JsonDerivedType(typeof(Square), "square")]
    private abstract record Figure;

    private sealed record Square(int Side) : Figure;

    [EventType("versioned", Version = 2)]
    private sealed record Second([property: Personal("customer", Placeholder = "nobody")] string Name);
}
