using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Microsoft.FSharp.Collections;
using Microsoft.FSharp.Core;
using Opossum.Testing;
using Opossum.Testing.Given;
using static Opossum.Tests.Serialization.RoundTripShapes;

namespace Opossum.Tests.Serialization;

/// <summary>What is registered comes back as it was appended, or is refused by the member's name.</summary>
public sealed class RoundTripTests
{
    private static readonly Dictionary<string, Func<Task>> kept = new()
    {
        ["constructor"] = () => ComesBack(new ByConstructor("n", 2)),
        ["private setters with a constructor"] = () => ComesBack(new PrivateSetters("n", [1, 2])),
        ["readonly struct"] = () => ComesBack(new Money(1.50m, "EUR")),
        ["readonly struct with a field"] = () => ComesBack(new Weight(1500)),
        ["readonly struct with [JsonConstructor]"] = () => ComesBack(new Marked(7, 3)),
        ["record struct"] = () => ComesBack(new Point(1, 2)),
        ["struct of the framework"] = () => ComesBack(new Complex(1, 2)),
        ["vector"] = () => ComesBack(new Vector3(1, 2, 3)),
        ["nullable structs"] = () => ComesBack(new Dictionary<string, Money?> { ["a"] = new Money(1, "EUR"), ["b"] = null }),
        ["list of structs"] = () => ComesBack(new List<Weight> { new(1), new(2) }),
        ["KeyValuePair"] = () => ComesBack(new List<KeyValuePair<string, Money>> { new("a", new Money(1, "EUR")) }),
        ["Tuple"] = () => ComesBack(Tuple.Create(1, "x", new Point(1, 2))),
        ["Tuple of eight"] = () => ComesBack(Tuple.Create(1, 2, 3, 4, 5, 6, 7, "8")),
        ["ValueTuple"] = () => ComesBack((1, "x", (2, "y"))),
        ["ValueTuple of nine"] = () => ComesBack((1, 2, 3, 4, 5, 6, 7, 8, "9")),
        ["inherited"] = () => ComesBack(new Titled("n", "t")),
        ["attributes"] = () => ComesBack(ManyWays.Of(1, 2, "r")),
        ["override of an ignored property"] = () => ComesBack(new OverridesIgnoredWhole { Name = "n" }),
        ["populated by its class"] = () => ComesBack(new HasPopulated { Names = { "a" } }),
        ["case of a union"] = () => ComesBack(new Parcel.Sent("n")),
        ["case without members"] = () => ComesBack(new Parcel.Lost()),
        ["private property that keeps what it computes"] = () => ComesBack(new Totalled { Lines = [1, 2] }),
        ["property with field"] = () => ComesBack(new Trimmed { Name = " n " }),
        ["fields"] = () => ComesBack(new WithFields { Count = 2, Names = ["a"] }),
        ["extension data"] = () => ComesBack(new Extended { Count = 1, More = { ["other"] = JsonElement.Parse("9") } }),
        ["field by constructor"] = () => ComesBack(new FieldByConstructor(2)),
        ["populated"] = () => ComesBack(new Populated { Names = { "a" } }),
        ["derived types with names"] = () => ComesBack<List<Pet>>([new Dog("d", 3), new Cat("c")]),
        ["base class itself"] = () => ComesBack<List<Line>>([new Line("a")]),
        ["object"] = () => ComesBack<object>(JsonElement.Parse("""{"a":1}""")),
        ["F# option"] = () => ComesBack(FSharpOption<int>.Some(3)),
        ["F# value option"] = () => ComesBack(FSharpValueOption<string>.NewValueSome("x")),
        ["F# option of a class"] = () => ComesBack(FSharpOption<ByConstructor>.Some(new ByConstructor("n", 2))),
        ["list of F# options of a struct"] =
            () => ComesBack<List<FSharpOption<Point>?>>([FSharpOption<Point>.Some(new Point(1, 2)), null]),
        ["F# value option of F# collections"] = () => ComesBack(FSharpValueOption<FSharpMap<string, FSharpList<Line>>>.NewValueSome(
            new FSharpMap<string, FSharpList<Line>>([Tuple.Create("a", ListModule.OfSeq([new Line("b")]))]))),
        ["F# record"] = () => ComesBack(new FSharpGuest("n", FSharpOption<string>.Some("x"))),
        ["F# record that changes"] = () => ComesBack(new FSharpRef<int>(4)),
        ["collections that keep what their elements say"] = () => ComesBack(new Counted { "a", "b" }),
        ["collections"] = () => ComesBack(new AllKinds([1], ImmutableDictionary.Create<string, int>().Add("a", 1), [1],
            new() { [Guid.NewGuid()] = new Point(1, 2) }, new() { [Colour.Green] = [new Line("a")] }, new Dictionary<int, string> { [1] = "a" },
            new LinkedList<string>(["a", "b"]), new Queue<int>([1, 2]), [1, 2], null, new Point(3, 4), TimeSpan.FromTicks(1),
            new DateOnly(2000, 1, 2), new Uri("https://example.org/a"), new Version(1, 2), 'x', (Half)1.5, Int128.MaxValue)),
    };

    private static readonly Dictionary<string, Action> refused = new()
    {
        ["private setter"] = () => IsRefused<PrivateSetter>("value.name", "PrivateSetter.Name", "init"),
        ["private setter in a list"] = () => IsRefused<List<PrivateSetter>>("value[].name", "PrivateSetter.Name"),
        ["private setter in an F# option"] = () => IsRefused<FSharpOption<PrivateSetter>>("value.name", "PrivateSetter.Name"),
        ["private setter in a list in an F# option"] = () => IsRefused<FSharpValueOption<PrivateSetter[]>>("value[].name", "PrivateSetter.Name"),
        ["private setter in a dictionary"] = () => IsRefused<Dictionary<string, Held<PrivateSetter>>>("value{}.value.name", "PrivateSetter.Name"),
        ["initial list"] = () => IsRefused<InitialList>("value.names", "InitialList.Names"),
        ["list in a field"] = () => IsRefused<HiddenList>("value.names", "HiddenList.Names", "entries"),
        ["internal member"] = () => IsRefused<InternalMember>("InternalMember.Note", "[JsonInclude]"),
        ["internal member with a field"] = () => IsRefused<InternalWithField>("InternalWithField.note", "[JsonInclude]"),
        ["internal property that shows a field"] = () => IsRefused<InternalShows>("InternalShows.count", "[JsonIgnore]"),
        ["private getter"] = () => IsRefused<PrivateGetter>("PrivateGetter.Note"),
        ["nothing but fields"] = () => IsRefused<OnlyHidden>("OnlyHidden.count"),
        ["hidden property"] = () => IsRefused<HidesName>("HasName.Name"),
        ["override of an ignored property"] = () => IsRefused<OverridesIgnored>("value.name", "OverridesIgnored.Name"),
        ["class derived from one that is populated"] = () => IsRefused<DerivedOfPopulated>("value.names", "DerivedOfPopulated.Names"),
        ["lazy property"] = () => IsRefused<Lazily>("value.label", "Lazily.Label", "[JsonIgnore]"),
        ["union of private classes"] = () => IsRefused<Payment>("value", "Payment", "[JsonDerivedType"),
        ["case of a union without a public constructor"] = () => IsRefused<Payment.Card>("value", "Card", "[JsonConstructor]"),
        ["union of records"] = () => IsRefused<Parcel>("value", "Parcel", "[JsonDerivedType"),
        ["two constructors"] = () => IsRefused<TwoConstructors>("TwoConstructors", "[JsonConstructor]"),
        ["struct with two constructors"] = () => IsRefused<TwoConstructorsStruct?>("TwoConstructorsStruct.First", "[JsonConstructor]"),
        ["parameter of another type"] = () => IsRefused<OtherParameter>("OtherParameter", "names"),
        ["ignored when reading"] = () => IsRefused<ReadByNone>("ReadByNone.Count"),
        ["interface"] = () => IsRefused<List<IShape>>("value[]", "IShape", "[JsonDerivedType"),
        ["abstract class"] = () => IsRefused<Shape>("value", "Shape", "[JsonDerivedType"),
        ["derived type without a name"] = () => IsRefused<Unnamed>("value", "Plain", "[JsonDerivedType"),
        ["collection with a member"] = () => IsRefused<Basket>("Basket.Owner"),
        ["collection with a member in a field"] = () => IsRefused<Crate>("Crate.owner"),
        ["stack"] = () => IsRefused<Stack<int>>("value", "Stack", "order"),
        ["concurrent stack"] = () => IsRefused<ConcurrentStack<int>>("value", "ConcurrentStack", "order"),
        ["immutable stack"] = () => IsRefused<IImmutableStack<int>>("value", "ImmutableStack", "order"),
        ["read-only collection"] = () => IsRefused<ReadOnlyCollection<int>>("value", "ReadOnlyCollection"),
        ["frozen set"] = () => IsRefused<FrozenSet<int>>("value", "FrozenSet"),
        ["bag"] = () => IsRefused<ConcurrentBag<int>>("value", "ConcurrentBag"),
        ["array of two dimensions"] = () => IsRefused<int[,]>("value", "[,]"),
        ["key that is no text"] = () => IsRefused<Dictionary<Point, int>>("value", "Point"),
        ["key that is any object"] = () => IsRefused<Dictionary<object, int>>("value", "Object"),
        ["key that is a tuple"] = () => IsRefused<List<Dictionary<(int, int), string>>>("value[]", "ValueTuple"),
        ["delegate"] = () => IsRefused<Func<int>>("value", "Func"),
        ["pointer"] = () => IsRefused<IntPtr>("value", "IntPtr"),
        ["type"] = () => IsRefused<Type>("value", "Type"),
        ["large number"] = () => IsRefused<BigInteger>("value", "BigInteger"),
        ["index"] = () => IsRefused<System.Index>("value", "Index"),
        ["asynchronous list"] = () => IsRefused<IAsyncEnumerable<int>>("value", "IAsyncEnumerable"),
        ["F# union"] = () => IsRefused<FSharpChoice<int, string>>("value", "F# discriminated union"),
        ["F# struct union"] = () => IsRefused<FSharpResult<int, string>>("value", "F# discriminated union"),
    };

    private static readonly Dictionary<string, Func<Task>> refusedValues = new()
    {
        ["derived object"] = () => IsRefusedWith<Line>(new GiftLine("a", "c"), "GiftLine", "Line", "$.Value"),
        ["derived object in a list"] = () => IsRefusedWith<List<Line>>([new Line("a"), new GiftLine("a", "c")], "GiftLine", "$.Value"),
        ["derived object in a dictionary"] =
            () => IsRefusedWith<Dictionary<string, Line?>>(new() { ["x"] = new GiftLine("a", "c") }, "GiftLine", "$.Value"),
        ["derived object in a tuple"] = () => IsRefusedWith<(Line, int)>((new GiftLine("a", "c"), 1), "GiftLine", "$.Value"),
        ["derived type that is not declared"] = () => IsRefusedWith<Pet>(new Tiger("t", 3), "Tiger"),
        ["default value that is left out"] = () => IsRefusedWith(new LeftOut { Count = 0 }, "value.count"),
        ["extension data with the name of a member"] =
            () => IsRefusedWith(new Extended { More = { ["COUNT"] = JsonElement.Parse("9") } }, "value.count"),
        ["extension data with exactly the name of a member"] =
            () => IsRefusedWith(new Extended { More = { ["count"] = JsonElement.Parse("9") } }, "value.count"),
        ["extension data that the member cannot have"] =
            () => IsRefusedWith(new Extended { More = { ["Count"] = JsonElement.Parse("\"x\"") } }, "Count"),
        ["extension data with the name of an ignored member"] =
            () => IsRefusedWith(new Extended { More = { ["note"] = JsonElement.Parse("9") } }, "value.note"),
        ["populated list that has content"] = () => IsRefusedWith(new PopulatedTwice(), "value.names"),
    };

    public static TheoryData<string> Kept => [.. kept.Keys];

    public static TheoryData<string> Refused => [.. refused.Keys];

    public static TheoryData<string> RefusedValues => [.. refusedValues.Keys];

    [Theory]
    [MemberData(nameof(Kept))]
    public async Task A_class_comes_back_as_it_was_appended(string shape) => Assert.Null(await Record.ExceptionAsync(kept[shape]));

    [Theory]
    [MemberData(nameof(Refused))]
    public void A_class_that_would_lose_a_member_is_refused_when_a_store_opens_and_as_a_state(string shape) =>
        Assert.Null(Record.Exception(refused[shape]));

    [Theory]
    [MemberData(nameof(RefusedValues))]
    public async Task A_value_that_would_lose_a_member_is_refused_by_the_append(string shape) =>
        Assert.Null(await Record.ExceptionAsync(refusedValues[shape]));

    [Theory]
    [InlineData("""{ "value": {} }""", "amount")]
    [InlineData("""{ "value": { "amount": 1 } }""", "currency")]
    [InlineData("""{ "value": { "amount": 1, "currency": "EUR", "more": 1 } }""", "more")]
    public void A_struct_that_its_constructor_fills_is_read_strictly(string json, string member) =>
        Assert.Contains(member, Assert.Throws<EventDataException>(() => Stored<Money>(json)).Message, StringComparison.Ordinal);

    [Fact]
    public void Pairs_tuples_and_classes_are_read_strictly()
    {
        foreach (var read in (Func<object?>[])[() => Stored<KeyValuePair<string, int>>("""{ "value": { "value": 1 } }"""),
            () => Stored<(int, string)>("""{ "value": { "item1": 1 } }"""), () => Stored<Tuple<int, string>>("""{ "value": { "item1": 1 } }"""),
            () => Stored<ByConstructor>("""{ "value": { "name": "n" } }"""), () => Stored<Point>("""{ "value": { "x": 1 } }"""),
            () => Stored<FSharpGuest>("""{ "value": {} }""")])
        {
            Assert.Contains("missing required", Assert.Throws<EventDataException>(read).Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void An_option_of_fsharp_may_be_missing() =>
        Assert.Null(((Held<FSharpGuest>)Stored<FSharpGuest>("""{ "value": { "name": "n" } }""")).Value.Note);

    [Fact]
    public void A_state_that_would_lose_a_member_is_refused_by_its_projection() => Assert.Contains("The state of the projection states",
        Assert.Throws<InvalidOperationException>(() => new States<PrivateSetter>()).Message, StringComparison.Ordinal);

    [Fact]
    public void A_union_of_fsharp_and_its_cases_are_refused_as_events()
    {
        Assert.Contains("abstract", Assert.Throws<ArgumentException>(() => new EventTypeRegistry().Add<FSharpChoice<int, string>>("x")).Message,
            StringComparison.Ordinal);
        foreach (var types in (EventTypeRegistry[])[new EventTypeRegistry().Add<FSharpChoice<int, string>.Choice1Of2>("x"),
            new EventTypeRegistry().Add<FSharpResult<int, string>>("x")])
        {
            Assert.Contains("F# discriminated union", Assert.Throws<InvalidOperationException>(types.Freeze).Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_source_generated_type_is_judged_by_the_same_rules()
    {
        Assert.Contains("names", Assert.Throws<InvalidOperationException>(
            new EventTypeRegistry().Add(RoundTripJson.Default.InitialList, "x").Freeze).Message, StringComparison.Ordinal);
        Assert.Contains("PrivateSetter.Name", Assert.Throws<InvalidOperationException>(
            new EventTypeRegistry().Add(RoundTripJson.Default.HeldPrivateSetter, "x").Freeze).Message, StringComparison.Ordinal);
        Assert.Contains("WithFields.Count", Assert.Throws<InvalidOperationException>(
            new EventTypeRegistry().Add(RoundTripJson.Default.WithFields, "x").Freeze).Message, StringComparison.Ordinal);
        // A context knows nothing of F#: it writes an option's members, and would read none back.
        Assert.Contains("value.tag", Assert.Throws<InvalidOperationException>(
            new EventTypeRegistry().Add(RoundTripJson.Default.HeldFSharpValueOptionLine, "x").Freeze).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_source_generated_type_comes_back_and_a_derived_object_in_it_is_refused()
    {
        var types = new EventTypeRegistry().Add(RoundTripJson.Default.HeldLine, "line").Add(RoundTripJson.Default.HeldByConstructor, "constructor");
        using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });

        await AssertComesBack(store, new Held<Line>(new Line("a")));
        await AssertComesBack(store, new Held<ByConstructor>(new ByConstructor("n", 2)));
        Assert.Contains("GiftLine", (await Assert.ThrowsAsync<ArgumentException>(
            () => store.AppendAsync(new NewEvent(new Held<Line>(new GiftLine("a", "c"))), cancellationToken: TestContext.Current.CancellationToken)))
            .Message, StringComparison.Ordinal);
        types.Add(RoundTripJson.Default.HeldLine, "line");
    }

    [Fact]
    public void An_init_member_that_the_json_lacks_has_its_default_and_that_of_its_type_with_a_context()
    {
        Assert.Equal(20, ((Hall)Stored("{}", types => types.Add<Hall>("held"))).Seats);
        Assert.Equal(0, ((Hall)Stored("{}", types => types.Add(RoundTripJson.Default.Hall, "held"))).Seats);
    }

    [Fact]
    public void A_struct_has_the_values_that_its_constructor_gives_where_the_json_lacks_them()
    {
        Assert.Equal(new Seating("c"), Stored("""{ "courseId": "c" }""", static types => types.Add<Seating>("held")));
        Assert.Equal(new PlainSeating(), Stored("{}", static types => types.Add<PlainSeating>("held")));
        Assert.Equal(new CheckedSeating("c"), Stored("""{ "courseId": "c" }""", static types => types.Add<CheckedSeating>("held")));
        Assert.Equal(new Seating("c", 3, Colour.Red, null) { Rows = 4 },
            Stored("""{ "courseId": "c", "seats": 3, "colour": "Red", "shade": null, "rows": 4 }""", static types => types.Add<Seating>("held")));
    }

    [Fact]
    public void Metadata_for_a_type_that_a_store_uses_without_is_refused()
    {
        var types = new EventTypeRegistry().Add<Hall>("held");
        types.Freeze();

        Assert.Throws<InvalidOperationException>(() => types.Add(RoundTripJson.Default.Hall, "held"));
        types.Add<Hall>("held");
    }

    [Fact]
    public void Options_that_write_what_they_do_not_read_are_refused()
    {
        foreach (var options in (JsonSerializerOptions[])[
            new(JsonSerializerDefaults.Web) { DictionaryKeyPolicy = JsonNamingPolicy.CamelCase },
            new(JsonSerializerDefaults.Web) { IgnoreReadOnlyProperties = true }])
        {
            Assert.Throws<InvalidOperationException>(
                new EventTypeRegistry().UseJsonSerializerOptions(options).Add<Held<Dictionary<string, ByConstructor>>>("held").Freeze);
        }
    }

    [Fact]
    public void Keys_of_enums_that_the_options_write_in_another_way_are_refused()
    {
        foreach (var types in (EventTypeRegistry[])[KeyedBy(JsonNamingPolicy.SnakeCaseUpper).Add<Held<Dictionary<Progress, int>>>("held"),
            KeyedBy(JsonNamingPolicy.CamelCase).Add<Held<Dictionary<Letter, int>>>("held")])
        {
            Assert.Contains("DictionaryKeyPolicy", Assert.Throws<InvalidOperationException>(types.Freeze).Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Keys_of_enums_come_back_of_which_the_options_change_the_case_alone()
    {
        var types = KeyedBy(JsonNamingPolicy.CamelCase).Add<Held<Dictionary<Progress, int>>>("held");
        using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });

        await AssertComesBack(store, new Held<Dictionary<Progress, int>>(new() { [Progress.InTransit] = 1, [Progress.Done] = 2 }));
    }

    [Fact]
    public async Task Keys_of_enums_come_back_that_a_converter_reads_as_they_are_written()
    {
        foreach (var converter in (JsonConverter[])[new ProgressAsNumber(), new JsonStringEnumConverter(JsonNamingPolicy.SnakeCaseUpper)])
        {
            var types = KeyedBy(JsonNamingPolicy.SnakeCaseUpper, converter).Add<Held<Dictionary<Progress, int>>>("held");
            using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });

            await AssertComesBack(store, new Held<Dictionary<Progress, int>>(new() { [Progress.InTransit] = 1, [Progress.Done] = 2 }));
        }
    }

    [Fact]
    public void Metadata_that_were_changed_after_the_resolver_made_them_are_refused()
    {
        var changes = new Action<JsonTypeInfo<WithFields>>[]
        {
            static json => json.Properties[0].Name = "renamed",
            static json => json.Properties.RemoveAt(0),
            static json => json.Properties[0].CustomConverter = new JsonStringEnumConverter(),
            static json => json.Properties[0].IsRequired = true,
            static json => json.Properties[0].ShouldSerialize = static (_, _) => false,
            static json => json.Properties[0].Set = null,
            static json => json.Properties[0].Order = 1,
            static json => json.Properties[0].NumberHandling = JsonNumberHandling.WriteAsString,
            static json => json.Properties[1].ObjectCreationHandling = JsonObjectCreationHandling.Populate,
            static json => json.NumberHandling = JsonNumberHandling.WriteAsString,
            static json => json.UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
            static json => json.OnDeserialized = static _ => { },
        };
        Assert.All(changes, change =>
        {
            var json = Made();
            change(json);
            Assert.Contains("by a modifier", Assert.Throws<InvalidOperationException>(
                new EventTypeRegistry().Add(json, "x").Freeze).Message, StringComparison.Ordinal);
            Assert.Throws<InvalidOperationException>(() => new GivenStates<WithFields>(json));
        });
        new EventTypeRegistry().Add(Made(), "x").Freeze();

        static JsonTypeInfo<WithFields> Made() => (JsonTypeInfo<WithFields>)new JsonSerializerOptions(JsonSerializerDefaults.Web)
        {
            IncludeFields = true,
            TypeInfoResolver = new DefaultJsonTypeInfoResolver(),
        }.GetTypeInfo(typeof(WithFields));
    }

    [Fact]
    public void Metadata_that_were_made_by_hand_are_refused_where_a_value_may_be_personal()
    {
        new EventTypeRegistry().Add(Made<int>(), "x").Freeze();
        Assert.Contains("by a modifier", Assert.Throws<InvalidOperationException>(new EventTypeRegistry().Add(Made<object>(), "x").Freeze).Message,
            StringComparison.Ordinal);

        static JsonTypeInfo<Box<T>> Made<T>()
        {
            var options = new JsonSerializerOptions { TypeInfoResolver = new DefaultJsonTypeInfoResolver() };
            var json = JsonTypeInfo.CreateJsonTypeInfo<Box<T>>(options);
            json.CreateObject = static () => new Box<T>();
            var property = json.CreateJsonPropertyInfo(typeof(T), "value");
            property.Get = static box => ((Box<T>)box).Value;
            property.Set = static (box, value) => ((Box<T>)box).Value = (T?)value;
            json.Properties.Add(property);
            return json;
        }
    }

    // The serializer writes ids of lists that it does not read where a constructor takes them.
    [Fact]
    public async Task References_that_are_written_and_not_read_are_refused_by_the_append()
    {
        var options = new JsonSerializerOptions(JsonSerializerDefaults.Web) { IncludeFields = true, ReferenceHandler = ReferenceHandler.Preserve };
        var types = new EventTypeRegistry().UseJsonSerializerOptions(options).Add<Held<List<int>>>("held").Add<WithFields>("fields");
        using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });

        await AssertComesBack(store, new WithFields { Count = 2, Names = ["a"] });
        Assert.Contains("cannot be serialized", (await Assert.ThrowsAsync<ArgumentException>(
            () => store.AppendAsync(new NewEvent(new Held<List<int>>([1])), cancellationToken: TestContext.Current.CancellationToken))).Message,
            StringComparison.Ordinal);
    }

    private static EventTypeRegistry KeyedBy(JsonNamingPolicy policy, params JsonConverter[] converters)
    {
        var options = new JsonSerializerOptions(JsonSerializerDefaults.Web) { DictionaryKeyPolicy = policy };
        foreach (var each in converters)
            options.Converters.Add(each);
        return new EventTypeRegistry().UseJsonSerializerOptions(options);
    }

    private sealed class ProgressAsNumber : JsonConverter<Progress>
    {
        public override Progress Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) => (Progress)reader.GetInt32();

        public override void Write(Utf8JsonWriter writer, Progress value, JsonSerializerOptions options) => writer.WriteNumberValue((int)value);

        public override Progress ReadAsPropertyName(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) =>
            (Progress)(reader.GetString()!.Length - 1);

        public override void WriteAsPropertyName(Utf8JsonWriter writer, Progress value, JsonSerializerOptions options) =>
            writer.WritePropertyName(new string('n', (int)value + 1));
    }

    private static async Task ComesBack<T>(T value)
    {
        using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = new EventTypeRegistry().Add<Held<T>>("held") });
        await AssertComesBack(store, new Held<T>(value));
        _ = new States<Held<T>>();
    }

    private static async Task AssertComesBack(IEventStore store, object data)
    {
        await store.AppendAsync(new NewEvent(data), cancellationToken: TestContext.Current.CancellationToken);
        var e = await store.ReadLastAsync(Query.All, TestContext.Current.CancellationToken);
        Assert.Equal(StateText.Of(data), StateText.Of(e!.Data));
    }

    private static void IsRefused<T>(params string[] names)
    {
        var message = Assert.Throws<InvalidOperationException>(
            () => InMemoryEventStore.Open(new OpossumOptions { EventTypes = new EventTypeRegistry().Add<Held<T>>("held") })).Message;
        Assert.Contains("\"held\"", message, StringComparison.Ordinal);
        Assert.All(names, name => Assert.Contains(name, message, StringComparison.Ordinal));
        Assert.Throws<InvalidOperationException>(() => new States<Held<T>>());
    }

    private static async Task IsRefusedWith<T>(T value, params string[] names)
    {
        using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = new EventTypeRegistry().Add<Held<T>>("held") });
        var message = (await Assert.ThrowsAsync<ArgumentException>(
            () => store.AppendAsync(new NewEvent(new Held<T>(value)), cancellationToken: TestContext.Current.CancellationToken))).Message;
        Assert.All(names, name => Assert.Contains(name, message, StringComparison.Ordinal));
    }

    private static object Stored<T>(string json) => Stored(json, types => types.Add<Held<T>>("held"));

    private static object Stored(string json, Action<EventTypeRegistry> register)
    {
        var types = new EventTypeRegistry();
        register(types);
        using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });
        store.AppendAsync(NewEvent.FromJson("held", json)).GetAwaiter().GetResult();
        return store.ReadLastAsync(Query.All).GetAwaiter().GetResult()!.Data!;
    }

    private sealed class States<T>() : Projection<T>("states")
        where T : class;

    private sealed class GivenStates<T>(JsonTypeInfo<T> json) : Projection<T>("states", json)
        where T : class;
}

[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
[JsonSerializable(typeof(InitialList))]
[JsonSerializable(typeof(WithFields))]
[JsonSerializable(typeof(Hall))]
[JsonSerializable(typeof(Held<PrivateSetter>))]
[JsonSerializable(typeof(Held<Line>))]
[JsonSerializable(typeof(Held<FSharpValueOption<Line>>))]
[JsonSerializable(typeof(Held<ByConstructor>))]
internal sealed partial class RoundTripJson : JsonSerializerContext;
