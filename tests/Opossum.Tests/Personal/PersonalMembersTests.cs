using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Opossum.Serialization;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Personal;

/// <summary>Where [Personal] may be declared, and what may stand between an event and its personal members.</summary>
public sealed class PersonalMembersTests : IDisposable
{
    private const string Secret = "Ann Archer";

    private static readonly Tag ann = new("customer", "c1");

    private static readonly Dictionary<string, object> events = new()
    {
        ["an overridden property"] = new Overriding { Name = Secret },
        ["a property that overrides the overriding one"] = new OverridingTwice { Name = Secret },
        ["an abstract property of a record"] = new Positional(Secret),
        ["a property of an interface"] = new Implementing(Secret),
        ["a property of an interface that an interface extends"] = new ImplementingExtended(Secret),
        ["a property of a generic interface"] = new ImplementingGeneric(Secret),
        ["a hidden property"] = new Hiding { Name = Secret },
        ["an inherited property"] = new Inheriting { Name = Secret },
        ["a nullable struct"] = new Containing<Place?>(new Place(Secret)),
        ["a list of nullable structs"] = new Containing<List<Place?>>([null, new Place(Secret)]),
        ["a dictionary of nullable structs"] = new Containing<Dictionary<string, Place?>>(new() { ["a"] = new Place(Secret) }),
        ["a class that contains its base"] = new Containing<Node>(new Group { Nodes = [new Leaf { Name = Secret }, new Group()] }),
        ["a class with derived classes that contains itself"] = new Containing<Part>(new Part { Inner = new Part { Inner = new Named { Name = Secret } } }),
        ["an object"] = new Containing<object>(new Person(Secret)),
        ["an object in an object"] = new Containing<object>(new Containing<object>(new Person(Secret))),
        ["a list in an object"] = new Containing<object>(new List<Person> { new(Secret) }),
        ["a struct in an object"] = new Containing<object>(new Place(Secret)),
        ["a list of objects"] = new Containing<List<object>>(["a", 1, new Person(Secret)]),
        ["an array of objects"] = new Containing<object[]>([new Person(Secret)]),
        ["a dictionary of objects"] = new Containing<Dictionary<string, object>>(new() { ["person"] = new Person(Secret), ["no"] = 1 }),
        ["a dictionary of lists"] = new Containing<Dictionary<int, List<Person[]>>>(new() { [7] = [[new(Secret)]] }),
        ["a pair"] = new Containing<KeyValuePair<string, Person>>(new("a", new Person(Secret))),
        ["a nested class"] = new Containing<Outer.Inner>(new Outer.Inner { Name = Secret }),
        ["a renamed member"] = new Renamed { Name = Secret },
        ["a member of any name"] = new OddlyNamed { Name = Secret },
        ["two members of an object"] = new Two(null, "plain", Secret),
    };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    public static TheoryData<string> Names => [.. events.Keys];

    public void Dispose() => place.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_personal_member_is_found_in_or_through(string what)
    {
        var data = events[what];
        var store = Open(types => types.Add(data.GetType()));
        await store.AppendAsync([new NewEvent(data, ann)]);

        AssertNowhere();
        var e = Assert.Single(await store.ReadAllAsync());
        var json = JsonText.Normalize(JsonSerializer.SerializeToUtf8Bytes(data, data.GetType(), JsonSerializerOptions.Web));
        Assert.Equal(Encoding.UTF8.GetString(json), Encoding.UTF8.GetString(e.Json.Span));
        Assert.NotNull(e.Data);
        await store.ForgetAsync(ann, "asked for it");
        var lost = Assert.Single((await store.ReadAllAsync())[0].UnreadableMembers);
        Assert.Equal(ann, lost.Subject);
        place.AssertClean();
    }

    [Fact]
    public async Task A_source_generated_context_shows_them_too()
    {
        await using var store = Open(types => types.Add(MembersJson.Default.Overriding).Add(MembersJson.Default.Implementing)
            .Add(MembersJson.Default.GeneratedContaining));
        await store.AppendAsync(
        [
            new NewEvent(new Overriding { Name = Secret }, ann), new NewEvent(new Implementing(Secret), ann),
            new NewEvent(new GeneratedContaining(new Place(Secret), new Person(Secret), new Group { Nodes = [new Leaf { Name = Secret }] }), ann),
        ]);

        AssertNowhere();
        Assert.Equal(Secret, ((GeneratedContaining)(await store.ReadAllAsync())[2].Data!).Place!.Value.Name);
    }

    [Fact]
    public async Task The_person_may_be_named_beside_a_member_of_an_object()
    {
        var store = Open(types => types.Add<Containing<object>>());
        await store.AppendAsync([new NewEvent(new Containing<object>(new Contact("p1", Secret)))]);

        AssertNowhere();
        await store.ForgetAsync(new Tag("person", "p1"), "asked for it");
        Assert.Equal("""{"value":{"personId":"p1","phone":null}}""", Encoding.UTF8.GetString((await store.ReadAllAsync())[0].Json.Span));
    }

    [Theory]
    [InlineData(typeof(TagOnBase), "TagOnBase.Name")]
    [InlineData(typeof(TagOnInterface), "TagOnInterface.Name")]
    [InlineData(typeof(PersonalOnInterface), "PersonalOnInterface.Name")]
    [InlineData(typeof(NotNullableByInterface), "NotNullableByInterface.name")]
    [InlineData(typeof(TwoInterfaces), "TwoInterfaces.Name")]
    [InlineData(typeof(Containing<Written>), "Written.Name")]
    [InlineData(typeof(Containing<List<WrittenEnvelope>>), "Person.Name")]
    [InlineData(typeof(Containing<WrittenAnything>), "WrittenAnything")]
    [InlineData(typeof(Containing<WrittenInterface>), "WrittenInterface")]
    [InlineData(typeof(WrittenMember), "Person.Name")]
    [InlineData(typeof(Extended), "Extended.More")]
    public void What_contradicts_or_hides_a_personal_member_is_refused_when_the_store_opens(Type type, string member)
    {
        var refused = Assert.Throws<InvalidOperationException>(() => Open(types => types.Add(type)));

        Assert.Contains(member, refused.Message, StringComparison.OrdinalIgnoreCase);
        Assert.False(place.Exists(place.Root));
    }

    [Theory]
    [InlineData("base")]
    [InlineData("object with a converter")]
    public async Task A_value_whose_declared_type_hides_a_personal_member_is_refused(string what)
    {
        object data = what == "base"
            ? new Containing<PlainBase>(new PersonalDerived { Name = Secret })
            : new Containing<object>(new Written(Secret));
        var store = Open(types => types.Add(data.GetType()));

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([new NewEvent(data, ann)]));

        Assert.Contains(what == "base" ? "[JsonDerivedType" : "Written.Name is [Personal]", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, refused.Message, StringComparison.Ordinal);
        AssertNowhere();
        Assert.Equal(0, await store.GetHeadAsync());
    }

    [Fact]
    public async Task A_class_with_its_own_converter_is_encrypted_as_a_whole_and_may_write_personal_classes_by_the_options()
    {
        var store = Open(types => types.Add<Whole>().Add<Containing<Passing>>());
        await store.AppendAsync([new NewEvent(new Whole(new WrittenPlain(Secret)), ann)]);

        AssertNowhere();
        Assert.Equal(Secret, ((Whole)(await store.ReadAllAsync())[0].Data!).Value!.Text);
        await store.AppendAsync([new NewEvent(new Containing<Passing>(new Passing()), ann)]);
        AssertNowhere();
        Assert.Equal("""{"value":{"name":"Ann Archer"}}""", Encoding.UTF8.GetString((await store.ReadAllAsync())[1].Json.Span));
    }

    [Theory]
    [InlineData("overridden")]
    [InlineData("nullable")]
    [InlineData("object")]
    [InlineData("list")]
    public async Task States_hide_them_as_events_do(string key)
    {
        var store = Open(static _ => { });
        var runner = store.StartProjections([new Cards()]);
        await store.AppendAsync([NewEvent.FromJson("met", "{}", new Tag("customer", key))]);
        await runner.WaitForAsync(1, TestContext.Current.CancellationToken);

        AssertNowhere();
        Assert.Contains(Secret, JsonSerializer.Serialize<object>((await store.Projections.Get<Card>().GetAsync(key))!), StringComparison.Ordinal);
        await store.ForgetAsync(new Tag("customer", key), "asked for it");
        var forgotten = (await store.Projections.Get<Card>().GetAsync(key))!;
        Assert.DoesNotContain(Secret, JsonSerializer.Serialize<object>(forgotten), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Paths_count_for_objects_too_and_of_two_rules_for_one_member_the_path_counts()
    {
        await using var store = Open(types => types.Add<Two>().AddPersonal("two", "city", "customer").AddPersonal("two", "second", "person"));
        await store.AppendAsync([new NewEvent(new Two("a", "Springfield", "b"), ann, new Tag("person", "p1"))]);

        var json = Encoding.UTF8.GetString(Assert.Single(await store.ReadAllAsync()).StoredJson.Span);
        Assert.Matches("""^{"first":{"\$sealed":"customer:c1 [^"]*"},"city":{"\$sealed":"customer:c1 [^"]*"},"second":{"\$sealed":"person:p1 [^"]*"}}$""",
            json);
    }

    private FileSystemEventStore Open(Action<EventTypeRegistry> add) => place.Open(options =>
    {
        add(options.EventTypes);
        options.PersonalData.MasterKey = Customers.Key;
    });

    private void AssertNowhere()
    {
        foreach (var (path, bytes) in place.Snapshot())
            Assert.False(bytes is not null && bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(Secret)) >= 0, $"{path} contains {Secret}");
    }

    internal abstract record BaseEvent
    {
        [Personal("customer")]
        public virtual string? Name { get; init; }
    }

    [EventType("overriding")]
    internal record Overriding : BaseEvent
    {
        public override string? Name { get; init; }
    }

    [EventType("overriding-twice")]
    private sealed record OverridingTwice : Overriding
    {
        public override string? Name { get => base.Name; init => base.Name = value; }
    }

    private abstract record Abstract
    {
        [Personal("customer")]
        public abstract string? Name { get; init; }
    }

    [EventType("positional")]
    private sealed record Positional(string? Name) : Abstract;

    internal interface INamed
    {
        [Personal("customer")]
        string? Name { get; }
    }

    [EventType("implementing")]
    internal sealed record Implementing(string? Name) : INamed;

    private interface IExtended : INamed
    {
        int Age { get; }
    }

    [EventType("implementing-extended")]
    private sealed record ImplementingExtended(string? Name, int Age = 3) : IExtended;

    private interface IHolding<T>
    {
        [Personal("customer")]
        T? Held { get; }
    }

    [EventType("implementing-generic")]
    private sealed record ImplementingGeneric(string? Held) : IHolding<string>;

    private class Computing
    {
        [Personal("customer")]
        public string? Name => GetType().Name[..0];
    }

    [EventType("hiding")]
    private sealed class Hiding : Computing
    {
        public new string? Name { get; set; }
    }

    private class Base
    {
        [Personal("customer")]
        public string? Name { get; set; }
    }

    [EventType("inheriting")]
    private sealed class Inheriting : Base;

    [EventType("containing")]
    private sealed record Containing<T>(T Value);

    internal readonly record struct Place([property: Personal("customer")] string? Name);

    internal sealed record Person([property: Personal("customer")] string? Name);

    private sealed record Contact(string PersonId, [property: Personal("person", SubjectProperty = nameof(Contact.PersonId))] string? Phone);

    [JsonDerivedType(typeof(Group), "group")]
    [JsonDerivedType(typeof(Leaf), "leaf")]
    internal abstract class Node;

    internal sealed class Group : Node
    {
        public List<Node>? Nodes { get; set; }
    }

    internal sealed class Leaf : Node
    {
        [Personal("customer")]
        public string? Name { get; set; }
    }

    [JsonDerivedType(typeof(Named), "named")]
    private class Part
    {
        public Part? Inner { get; set; }
    }

    private sealed class Named : Part
    {
        [Personal("customer")]
        public string? Name { get; set; }
    }

    private sealed class Outer
    {
        internal sealed class Inner : Base;
    }

    [EventType("renamed-member")]
    private sealed class Renamed
    {
        [JsonPropertyName("n"), Personal("customer")]
        public string? Name { get; set; }
    }

    [EventType("oddly-named")]
    private sealed class OddlyNamed
    {
        [JsonPropertyName("a\"ö.[] 😀\u2028"), Personal("customer")]
        public string? Name { get; set; }
    }

    [EventType("two")]
    private sealed record Two([property: Personal("customer")] string? First, string City, [property: Personal("customer")] string? Second);

    [EventType("generated-containing")]
    internal sealed record GeneratedContaining(Place? Place, object Person, Node Node);

    private abstract record TaggedBase
    {
        [Tag("name")]
        public virtual string? Name { get; init; }
    }

    [EventType("tag-on-base")]
    private sealed record TagOnBase : TaggedBase
    {
        [Personal("customer")]
        public override string? Name { get; init; }
    }

    private interface ITaggedName
    {
        [Tag("name")]
        string? Name { get; }
    }

    [EventType("tag-on-interface")]
    private sealed record TagOnInterface([property: Personal("customer")] string? Name) : ITaggedName;

    [EventType("personal-on-interface")]
    private sealed record PersonalOnInterface([property: Tag("name")] string? Name) : INamed;

    [EventType("not-nullable-by-interface")]
    private sealed record NotNullableByInterface(string Name) : INamed
    {
        string? INamed.Name => Name;
    }

    private interface IPersonNamed
    {
        [Personal("person")]
        string? Name { get; }
    }

    [EventType("two-interfaces")]
    private sealed record TwoInterfaces(string? Name) : INamed, IPersonNamed;

    private interface IPlainNamed
    {
        string? Name { get; }
    }

    private sealed record PersonalNamed([property: Personal("customer")] string? Name) : IPlainNamed;

    private class PlainBase
    {
        public virtual string? Name { get; set; }
    }

    private sealed class PersonalDerived : PlainBase
    {
        [Personal("customer")]
        public override string? Name { get; set; }
    }

    [JsonConverter(typeof(TextConverter<Written>))]
    private sealed record Written([property: Personal("customer")] string? Name);

    [JsonConverter(typeof(TextConverter<WrittenEnvelope>))]
    private sealed record WrittenEnvelope(string Id, IReadOnlyDictionary<string, Person[]> People);

    [JsonConverter(typeof(TextConverter<WrittenAnything>))]
    private sealed record WrittenAnything(List<object> Content);

    [JsonConverter(typeof(TextConverter<WrittenInterface>))]
    private sealed class WrittenInterface(IPlainNamed content)
    {
        public override string ToString() => content.ToString()!;
    }

    [EventType("written-member")]
    private sealed record WrittenMember([property: JsonConverter(typeof(TextConverter<Person>))] Person Person);

    [JsonConverter(typeof(TextConverter<WrittenPlain>))]
    private sealed record WrittenPlain(string? Text);

    [EventType("whole")]
    private sealed record Whole([property: Personal("customer")] WrittenPlain? Value);

    [EventType("extended")]
    private sealed class Extended
    {
        [JsonExtensionData, Personal("customer")]
        public Dictionary<string, JsonElement>? More { get; set; }
    }

    // Its content is made by the converter.
    [JsonConverter(typeof(PassingConverter))]
    private sealed record Passing;

    private sealed class PassingConverter : JsonConverter<Passing>
    {
        public override Passing Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        {
            reader.Skip();
            return new Passing();
        }

        public override void Write(Utf8JsonWriter writer, Passing value, JsonSerializerOptions options) =>
            JsonSerializer.Serialize(writer, new Person(Secret), options);
    }

    private sealed class TextConverter<T> : JsonConverter<T>
    {
        public override T Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            (T)Activator.CreateInstance(typeToConvert, reader.GetString())!;

        public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options) => writer.WriteStringValue(value switch
        {
            WrittenPlain plain => plain.Text,
            Written written => written.Name,
            _ => $"{value}",
        });
    }

    private sealed record Card
    {
        public Overriding? Overridden { get; init; }

        public Place? Nullable { get; init; }

        public object? Any { get; init; }

        public List<object>? List { get; init; }
    }

    private sealed class Cards : Projection<Card>
    {
        public Cards()
            : base("cards") => On("met", e => e.Tags[0].Value, (_, e) => e.Tags[0].Value switch
            {
                "overridden" => new Card { Overridden = new Overriding { Name = Secret } },
                "nullable" => new Card { Nullable = new Place(Secret) },
                "object" => new Card { Any = new Person(Secret) },
                _ => new Card { List = [new Person(Secret)] },
            });
    }
}

[JsonSerializable(typeof(PersonalMembersTests.Overriding))]
[JsonSerializable(typeof(PersonalMembersTests.Implementing))]
[JsonSerializable(typeof(PersonalMembersTests.GeneratedContaining))]
[JsonSerializable(typeof(PersonalMembersTests.Person))]
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
internal sealed partial class MembersJson : JsonSerializerContext;
