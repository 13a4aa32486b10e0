using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.FSharp.Collections;
using Microsoft.FSharp.Core;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Personal;

/// <summary>Which members of a class are personal, and which declarations are refused when the store is opened.</summary>
public sealed class PersonalShapeTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData(typeof(NotNullable), "not nullable")]
    [InlineData(typeof(NotNullableNumber), "not nullable")]
    [InlineData(typeof(PlainTag), "is stored readable")]
    [InlineData(typeof(UnknownSubject), "does not have")]
    [InlineData(typeof(PersonalSubject), "is personal itself")]
    [InlineData(typeof(WrongPlaceholder), "is not a value of")]
    [InlineData(typeof(WrongKey), "contains a ':'")]
    public void A_declaration_that_contradicts_its_property_is_refused(Type type, string why)
    {
        var refused = Assert.Throws<InvalidOperationException>(() => place.Open(options => options.EventTypes.Add(type)));

        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
        Assert.Contains(type.Name, refused.Message, StringComparison.Ordinal);
        Assert.False(place.Exists(place.Root));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a..b")]
    [InlineData("a[0]")]
    [InlineData("name.first")]
    [InlineData("name")]
    public void A_path_that_is_none_or_is_personal_already_is_refused(string path)
    {
        var types = new EventTypeRegistry().AddPersonal("t", "name", "customer");

        Assert.ThrowsAny<ArgumentException>(() => types.AddPersonal("t", path, "customer"));
    }

    [Theory]
    [InlineData("notes{}.text", "notes.main.author")]
    [InlineData("notes.main.author", "notes{}.text")]
    [InlineData("notes{}", "notes.main.author")]
    [InlineData("notes.main.author", "notes{}")]
    public void A_name_where_another_path_has_each_member_is_refused(string first, string second)
    {
        var types = new EventTypeRegistry().AddPersonal("t", first, "customer");

        var refused = Assert.Throws<ArgumentException>(() => types.AddPersonal("t", second, "customer"));

        Assert.Contains("would stay in plain", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_name_where_another_path_has_each_member_may_be_personal_as_a_whole()
    {
        var store = place.Open(options =>
        {
            options.PersonalData.MasterKey = MasterKey.Create();
            options.EventTypes.AddPersonal("t", "notes{}.text", "customer").AddPersonal("t", "notes.main", "customer")
                .AddPersonal("t", "notes{}.author", "customer");
        });
        const string Json = """{"notes":{"main":{"text":"Ann A.","author":"Bob B.","date":"on 24."},"other":{"text":"Cleo C.","author":"Dan D."}}}""";
        await store.AppendAsync([NewEvent.FromJson("t", Json, new Tag("customer", "c1"))]);

        var e = Assert.Single(await store.ReadAllAsync());

        Assert.Equal(Json, Encoding.UTF8.GetString(e.Json.Span));
        Assert.All(new[] { "Ann A.", "Bob B.", "on 24.", "Cleo C.", "Dan D." },
            text => Assert.DoesNotContain(text, Encoding.UTF8.GetString(e.StoredJson.Span), StringComparison.Ordinal));
    }

    [Fact]
    public async Task Members_are_found_in_lists_dictionaries_hierarchies_and_in_classes_that_contain_themselves()
    {
        var store = place.Open(options =>
        {
            options.EventTypes.Add<Family>();
            options.PersonalData.MasterKey = MasterKey.Create();
        });
        var family = new Family("c1")
        {
            Members = [new Person("Ann A.") { Parents = [new Person("Bob B."), new Person("Cleo C.")] }],
            ByRole = new() { ["host"] = new Person("Dan D."), ["$sealed"] = new Person("Eve E."), ["$$sealed"] = new Person("Fay F.") },
            Pet = new Dog("Rex R."),
        };
        await store.AppendAsync([new NewEvent(family)]);

        var e = Assert.Single(await store.ReadAllAsync());

        Assert.Equal(JsonSerializer.Serialize(family), JsonSerializer.Serialize((Family)e.Data!));
        // Each has a sign that encrypted text in base64 has not, so that it is not found there by chance.
        Assert.All(new[] { "Ann A.", "Bob B.", "Cleo C.", "Dan D.", "Eve E.", "Fay F.", "Rex R." },
            name => Assert.DoesNotContain(name, Encoding.UTF8.GetString(e.StoredJson.Span), StringComparison.Ordinal));
        await store.ForgetAsync(new Tag("customer", "c1"), "asked for it");
        Assert.Equal(["members[0].name", "members[0].parents[0].name", "members[0].parents[1].name", "byRole.host.name", "byRole.$sealed.name",
            "byRole.$$sealed.name", "pet.name"], (await store.ReadAllAsync())[0].UnreadableMembers.Select(each => each.Path));
    }

    [Fact]
    public async Task Members_are_found_in_options_of_fsharp_and_in_collections_in_them()
    {
        var store = place.Open(options =>
        {
            options.EventTypes.Add<Optional>();
            options.PersonalData.MasterKey = MasterKey.Create();
        });
        const string Json = """
            {"id":"c1","one":{"name":"Ann A.","age":1},"array":[{"name":"Bob B.","age":2}],"list":[{"name":"Cleo C.","age":3},null],
            "map":{"x":{"name":"Dan D.","age":4}},"value":{"name":"Eve E.","age":5},"values":[{"name":"Fay F.","age":6}],"note":"Gus G."}
            """;
        await store.AppendAsync([NewEvent.FromJson("optional", Json, new Tag("customer", "c1"))]);

        var e = Assert.Single(await store.ReadAllAsync());

        Assert.Equal("Bob B.", ((Optional)e.Data!).Array!.Value[0].Name);
        Assert.All(new[] { "Ann A.", "Bob B.", "Cleo C.", "Dan D.", "Eve E.", "Fay F.", "Gus G." },
            name => Assert.DoesNotContain(name, Encoding.UTF8.GetString(e.StoredJson.Span), StringComparison.Ordinal));
        await store.AppendAsync([new NewEvent(e.Data!)]);
        await store.ForgetAsync(new Tag("customer", "c1"), "asked for it");
        Assert.Equal(["one", "array[]", "list[]", "map{}", "value", "values[]"],
            (await store.GetSchemasAsync()).Single(each => each.EventType == "optional").PersonalMembers
                .Where(each => each.EndsWith(".name", StringComparison.Ordinal)).Select(each => each[..^".name".Length]));
        var lost = new Relative(null, -1);
        Assert.All((await store.ReadAllAsync()).Take(2), each =>
        {
            var data = (Optional)each.Data!;
            Assert.Equal([lost, lost, lost, lost, lost, lost], [data.One!.Value, .. data.Array!.Value, data.List!.Value.Head.Value, data.Map!.Value["x"],
                data.Value.Value, .. data.Values.Value]);
            Assert.Equal((true, 13), (data.Note.IsNone, each.UnreadableMembers.Count));
        });
    }

    [Fact]
    public async Task A_class_that_a_schema_describes_inside_a_personal_member_is_marked_wherever_it_is()
    {
        var key = MasterKey.Create();
        var first = place.Open(options =>
        {
            options.EventTypes.Add<Moved>();
            options.PersonalData.MasterKey = key;
        });
        await first.AppendAsync([new NewEvent(new Moved("c1", Previous: null, []))]);
        place.CloseStores();
        var store = place.Open(options => options.PersonalData.MasterKey = key);

        var plain = await PersonalDataSearch.FindPlainAsync(store, [NewEvent.FromJson("moved",
            """{"id":"c1","previous":null,"offices":[{"name":"Ann A.","parents":[{"name":"Bob B.","parents":null}]}]}""")]);

        var members = (await store.GetSchemasAsync()).Single(each => each.EventType == "moved").PersonalMembers;
        Assert.All(new[] { "previous", "offices[].name" }, member => Assert.Contains(member, members));
        Assert.Equal(["offices[0].name", "offices[0].parents[0].name"], plain.Select(each => each.Member));
    }

    [Fact]
    public async Task An_upcaster_gets_what_is_readable()
    {
        var key = MasterKey.Create();
        var first = place.Open(options =>
        {
            options.PersonalData.MasterKey = key;
            options.EventTypes.AddPersonal("renamed", "fullName", "customer");
        });
        await first.AppendAsync([NewEvent.FromJson("renamed", """{"fullName":"Ann"}""", new Tag("customer", "c1"))]);
        place.CloseStores();
        var store = place.Open(options =>
        {
            options.PersonalData.MasterKey = key;
            options.EventTypes.Add<Renamed>().AddUpcaster("renamed", 1, json =>
            {
                json["name"] = json["fullName"]?.DeepClone();
                json.AsObject().Remove("fullName");
                return json;
            });
        });

        Assert.Equal(new Renamed("Ann"), (await store.ReadAllAsync())[0].Data);
        await store.ForgetAsync(new Tag("customer", "c1"), "asked for it");
        Assert.Equal(new Renamed("nobody"), (await store.ReadAllAsync())[0].Data);
    }

    [EventType("not-nullable")]
    private sealed record NotNullable([property: Personal("customer")] string Name);

    [EventType("not-nullable-number")]
    private sealed record NotNullableNumber([property: Personal("customer")] int Age);

    [EventType("plain-tag")]
    private sealed record PlainTag([property: Personal("customer"), Tag("email")] string? Email);

    [EventType("unknown-subject")]
    private sealed record UnknownSubject([property: Personal("customer", SubjectProperty = "Nobody")] string? Name);

    [EventType("personal-subject")]
    private sealed record PersonalSubject(
        [property: Personal("customer")] string? Id, [property: Personal("customer", SubjectProperty = nameof(PersonalSubject.Id))] string? Name);

    [EventType("wrong-placeholder")]
    private sealed record WrongPlaceholder([property: Personal("customer", Placeholder = "none")] int Age);

    [EventType("wrong-key")]
    private sealed record WrongKey([property: Personal("customer:")] string? Name);

    [EventType("family")]
    private sealed record Family([property: Tag("customer")] string Id)
    {
        public List<Person> Members { get; init; } = [];

        public Dictionary<string, Person> ByRole { get; init; } = [];

        public Animal? Pet { get; init; }
    }

    [EventType("moved")]
    private sealed record Moved([property: Tag("customer")] string Id, [property: Personal("customer")] List<Person>? Previous, List<Person> Offices);

    private sealed record Person([property: Personal("customer")] string? Name)
    {
        public List<Person>? Parents { get; init; }
    }

    [EventType("optional")]
    private sealed record Optional([property: Tag("customer")] string Id, FSharpOption<Relative>? One, FSharpOption<Relative[]>? Array,
        FSharpOption<FSharpList<FSharpOption<Relative>>>? List, FSharpOption<FSharpMap<string, Relative>>? Map, FSharpValueOption<Relative> Value,
        FSharpValueOption<List<Relative>> Values, [property: Personal("customer")] FSharpValueOption<string> Note);

    private sealed record Relative([property: Personal("customer")] string? Name, [property: Personal("customer", Placeholder = -1)] int Age);

    [JsonDerivedType(typeof(Dog), "dog")]
    private abstract record Animal;

    private sealed record Dog([property: Personal("customer")] string? Name) : Animal;

    [EventType("renamed", Version = 2)]
    private sealed record Renamed([property: Personal("customer", Placeholder = "nobody")] string Name);
}
