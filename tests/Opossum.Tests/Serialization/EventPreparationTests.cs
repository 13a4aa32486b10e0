using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Opossum.Serialization;

namespace Opossum.Tests.Serialization;

public sealed class EventPreparationTests
{
    private readonly EventTypeRegistry types = new();

    [Fact]
    public void An_object_becomes_compact_readable_camelCase_JSON_with_enums_by_name()
    {
        types.Add<ParcelSent>().Add<ParcelChanged>("parcel-changed").Add<ParcelGrüße>("grüße");

        Assert.Equal("""{"parcelId":"p1","sender":"Jörg 😀 & Söhne","grams":7}""", JsonOf(new ParcelSent("p1", "Jörg 😀 & Söhne", 7)));
        Assert.Equal("""{"state":"FoundAgain"}""", JsonOf(new ParcelChanged(ParcelState.FoundAgain)));
        Assert.Equal("""{"grüße":"ß"}""", JsonOf(new ParcelGrüße("ß")));
    }

    [Fact]
    public void A_source_generated_context_gives_the_same_JSON_and_tags()
    {
        types.Add(ParcelsJson.Default.ParcelSent).Add(ParcelsJson.Default.ParcelChanged, "parcel-changed").Add(ParcelsJson.Default.ParcelGrüße,
            "grüße");

        Assert.Equal("""{"parcelId":"p1","sender":"Jörg 😀 & Söhne","grams":7}""", JsonOf(new ParcelSent("p1", "Jörg 😀 & Söhne", 7)));
        Assert.Equal("""{"state":"FoundAgain"}""", JsonOf(new ParcelChanged(ParcelState.FoundAgain)));
        Assert.Equal("""{"grüße":"ß"}""", JsonOf(new ParcelGrüße("ß")));
        Assert.Equal(["parcel:p1", "sender:s"], TagsOf(new NewEvent(new ParcelSent("p1", "s"))));
    }

    [Fact]
    public void The_options_given_count_but_for_indentation_and_escaping()
    {
        var options = new JsonSerializerOptions { PropertyNamingPolicy = JsonNamingPolicy.KebabCaseUpper, WriteIndented = true };
        types.UseJsonSerializerOptions(options).Add<ParcelSent>();
        options.PropertyNamingPolicy = null;

        Assert.Equal("""{"PARCEL-ID":"ü","SENDER":null,"GRAMS":0}""", JsonOf(new ParcelSent("ü", null)));
    }

    [Fact]
    public void The_options_of_a_context_serve_types_added_without_it()
    {
        types.UseJsonSerializerOptions(ParcelsJson.Default.Options).Add<ParcelSent>();

        Assert.Equal("""{"parcelId":"ü","sender":null,"grams":0}""", JsonOf(new ParcelSent("ü", null)));
    }

    [Fact]
    public void Raw_JSON_keeps_its_type_version_and_id()
    {
        Assert.Equal([1, 4, 1, 4], new[]
        {
            NewEvent.FromJson("seen", "{}", new Tag("k", "1")), NewEvent.FromJson("seen", "{}", version: 4, new Tag("k", "1")),
            NewEvent.FromJson("seen", "{}"u8.ToArray(), new Tag("k", "1")),
            NewEvent.FromJson("seen", "{}"u8.ToArray(), version: 4, new Tag("k", "1")),
        }.Select(each => each.Version));
        var e = NewEvent.FromJson("seen", """ { "a" : 1.0 } """u8.ToArray(), version: 4);
        var prepared = Serializer().Prepare([e])[0];

        Assert.Equal(("seen", 4, e.Id, """{"a":1.0}"""), (prepared.Type, prepared.Version, prepared.Id, Text(prepared.Json)));
    }

    [Fact]
    public void Metadata_is_a_compact_object_in_the_order_given_and_empty_when_there_is_none()
    {
        types.Add<ParcelSent>();
        var metadata = new Dictionary<string, string> { ["z"] = "1", ["ä\""] = "😀\n", ["a"] = "" };
        var prepared = Serializer().Prepare([Raw("1"), WithMetadata(metadata)]);

        Assert.Empty(prepared[0].Metadata);
        Assert.Equal("""{"z":"1","ä\"":"😀\n","a":""}""", Text(prepared[1].Metadata));
    }

    [Fact]
    public void No_events_are_refused()
    {
        Assert.Throws<ArgumentNullException>(() => Serializer().Prepare(null!));
        Assert.Throws<ArgumentException>(() => Serializer().Prepare([]));
    }

    [Fact]
    public void A_refused_event_is_named_by_its_index()
    {
        var twice = Raw("1");
        types.Add<ParcelSent>();

        Refused("events[1]", [Raw("1"), null!]);
        Refused("events[2] has the same id as events[0]", [twice, Raw("1"), twice]);
        Refused("events[1]", [Raw("1"), Raw("{")]);
        Refused("events[1]", [Raw("1"), Raw(new string('1', 1_001))]);
        Refused("events[1]", [Raw("1"), new NewEvent(new ParcelChanged(ParcelState.Lost))]);
        Refused("events[1]", [Raw("1"), new NewEvent(new ParcelSent("\uD800", null))]);
    }

    [Fact]
    public void An_unregistered_type_is_refused_with_how_to_register_it()
    {
        var message = Refused("ParcelChanged", [new NewEvent(new ParcelChanged(ParcelState.Lost))]);

        Assert.Contains("options.EventTypes.Add<ParcelChanged>()", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_derived_from_a_registered_one_is_not_registered()
    {
        types.Add<TaggedBase>("base");

        Refused("TaggedDerived", [new NewEvent(new TaggedDerived())]);
    }

    [Fact]
    public void Invalid_JSON_is_refused_with_its_line_and_byte()
    {
        var message = Refused("\"seen\"", [NewEvent.FromJson("seen", "{\n  \"a\": tru\n}")]);

        Assert.Contains("LineNumber: 1 | BytePositionInLine: 10", message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_limit_counts_bytes_of_compact_JSON_of_data_and_of_metadata()
    {
        types.Add<ParcelSent>();
        var inLimit = "\"" + new string('ä', 499) + "\"";

        Assert.Equal(1_000, Serializer().Prepare([Raw("   " + inLimit + new string(' ', 5_000))])[0].Json.Length);
        Refused("more than 1,000 bytes", [Raw("\"" + new string('ä', 499) + "a\"")]);
        Refused("metadata", [WithMetadata(new Dictionary<string, string> { ["k"] = new string('x', 1_000) })]);
    }

    [Fact]
    public void Text_that_is_not_Unicode_is_refused_wherever_it_stands_in_typed_data()
    {
        types.Add<Dictionary<string, object>>("any").Add<RawText>("raw").Add<char[]>("chars");

        Refused("not valid Unicode", [new NewEvent(new Dictionary<string, object> { ["k"] = "a\uDC00b" })]);
        Refused("not valid Unicode", [new NewEvent(new Dictionary<string, object> { ["\uD800"] = 1 })]);
        Refused("not valid Unicode", [new NewEvent(new[] { '\uD800' })]);
        Refused("not valid Unicode", [new NewEvent(new RawText("\"\\uD800\""))]);
        Assert.Equal("""{"k":"\"\uFFFD\""}""".Replace("\\uFFFD", "\uFFFD", StringComparison.Ordinal),
            JsonOf(new Dictionary<string, object> { ["k"] = "\"\uFFFD\"" }));
    }

    [Fact]
    public void What_a_converter_writes_raw_is_judged_and_compacted_too()
    {
        types.Add<RawText>("raw");

        Assert.Equal("""{"a":[1.50,"ä"]}""", JsonOf(new RawText("{ \"a\" : [ 1.50 , \"\\u00e4\" ] }")));
        Refused("twice", [new NewEvent(new RawText("""{"a":1,"a":2}"""))]);
        Refused("cannot be serialized", [new NewEvent(new RawText("1 2"))]);
    }

    [Fact]
    public void Data_that_nests_too_deep_is_refused()
    {
        types.Add<Nested>("nested");
        var cycle = new Nested();
        cycle.Inner = cycle;

        Refused("cannot be serialized", [new NewEvent(cycle)]);
    }

    [Fact]
    public void What_data_throws_while_it_is_serialized_is_told()
    {
        types.Add<Throwing>("throwing").Add<ThrowingTag>("throwing-tag");

        Refused("No luck.", [new NewEvent(new Throwing())]);
        Refused("No luck.", [new NewEvent(new ThrowingTag())]);
    }

    [Fact]
    public void Given_tags_come_first_then_declared_ones_and_each_once()
    {
        types.Add<ParcelSent>();

        Assert.Equal(
            ["sender:s1", "x:1", "parcel:p1"],
            TagsOf(new NewEvent(new ParcelSent("p1", "s1"), new Tag("sender", "s1"), new Tag("x", "1"), new Tag("sender", "s1"))));
        Assert.Equal(["parcel:p1"], TagsOf(new NewEvent(new ParcelSent("p1", null))));
        var many = Enumerable.Range(0, 100).Select(number => new Tag("n", $"{number % 50}")).ToArray();
        Assert.Equal(many[..50].Select(tag => tag.ToString()), TagsOf(NewEvent.FromJson("seen", "1", many)));
    }

    [Fact]
    public void Declared_values_are_written_the_same_in_every_culture()
    {
        types.Add<TaggedValues>("values");
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NumberDecimalSeparator = ",";
        culture.NumberFormat.NegativeSign = "~";
        var before = CultureInfo.CurrentCulture;
        CultureInfo.CurrentCulture = culture;
        try
        {
            Assert.Equal(
                [
                    "decimal:-1.50", "bool:true", "guid:0199e0c1-0000-7000-8000-000000000001", "enum:FoundAgain", "date:2026-11-21",
                    "time:2026-11-21T10:15:30.0000000Z", "offset:2026-11-21T10:15:30.0000000+02:00", "own:C-1", "list:a", "list:b", "numbers:1",
                    "numbers:2", "hidden:h", "empty:",
                ],
                TagsOf(new NewEvent(new TaggedValues())));
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Fact]
    public void Inherited_and_overridden_properties_declare_tags_once()
    {
        types.Add<TaggedDerived>("derived").Add<TaggedStruct>("struct");

        Assert.Equal(["base:1", "virtual:derived"], TagsOf(new NewEvent(new TaggedDerived())).Order(StringComparer.Ordinal));
        Assert.Equal(["id:7"], TagsOf(new NewEvent(new TaggedStruct(7))));
    }

    [Fact]
    public void A_declared_value_that_no_tag_can_hold_is_refused_with_the_property()
    {
        types.Add<ParcelSent>().Add<TaggedObject>("object");

        Refused("ParcelId", [new NewEvent(new ParcelSent(new string('x', Tag.MaxValueLength + 1), null))]);
        Refused("ParcelId", [new NewEvent(new ParcelSent("\uD800", null))]);
        Refused("Thing", [new NewEvent(new TaggedObject(new object()))]);
    }

    private string Refused(string part, IReadOnlyList<NewEvent> events)
    {
        var message = Assert.ThrowsAny<ArgumentException>(() => Serializer().Prepare(events)).Message;
        Assert.Contains(part, message, StringComparison.Ordinal);
        return message;
    }

    private string JsonOf(object data) => Text(Serializer().Prepare([new NewEvent(data)])[0].Json);

    private IEnumerable<string> TagsOf(NewEvent e) => Serializer().Prepare([e])[0].Tags.Select(tag => tag.ToString());

    private EventSerializer Serializer() => new(types, payloadBytesMax: 1_000);

    private static NewEvent Raw(string json) => NewEvent.FromJson("seen", json);

    private static NewEvent WithMetadata(Dictionary<string, string> metadata) => new(new ParcelSent("p1", null)) { Metadata = metadata };

    private static string Text(byte[] utf8) => Encoding.UTF8.GetString(utf8);

    private sealed class TaggedValues
    {
        [Tag("decimal")]
        public decimal Decimal { get; init; } = -1.50m;

        [Tag("bool")]
        public bool Bool { get; init; } = true;

        [Tag("guid")]
        public Guid Guid { get; init; } = new("0199E0C1-0000-7000-8000-000000000001");

        [Tag("enum")]
        public ParcelState? Enum { get; init; } = ParcelState.FoundAgain;

        [Tag("date")]
        public DateOnly Date { get; init; } = new(2026, 11, 21);

        [Tag("time")]
        public DateTime Time { get; init; } = new(2026, 11, 21, 10, 15, 30, DateTimeKind.Utc);

        [Tag("offset")]
        public DateTimeOffset Offset { get; init; } = new(2026, 11, 21, 10, 15, 30, TimeSpan.FromHours(2));

        [Tag("own")]
        public CustomerId Own { get; init; } = new(1);

        [Tag("list")]
        public IReadOnlyList<string?> List { get; init; } = ["a", null, "b"];

        [Tag("numbers")]
        public int[] Numbers { get; init; } = [1, 2];

        [Tag("none")]
        public int? None { get; init; }

        [Tag("hidden"), JsonIgnore]
        internal string Hidden { get; init; } = "h";

        [Tag("empty")]
        public string Empty { get; init; } = "";
    }

    private sealed record CustomerId(int Number)
    {
        public override string ToString() => $"C-{Number}";
    }

    private class TaggedBase
    {
        [Tag("base")]
        public int Base { get; init; } = 1;

        [Tag("virtual")]
        public virtual string Virtual => "base";
    }

    private sealed class TaggedDerived : TaggedBase
    {
        public override string Virtual => "derived";
    }

    private readonly record struct TaggedStruct([property: Tag("id")] int Id);

    private sealed record TaggedObject([property: Tag("thing")] object Thing);

    private sealed class Nested
    {
        public Nested? Inner { get; set; }
    }

    private sealed class Throwing
    {
        public int Value
        {
            get => field == 0 ? throw new TimeoutException("No luck.") : field;
            set;
        }
    }

    private sealed class ThrowingTag
    {
        [Tag("value"), JsonIgnore]
        public int Value
        {
            get => field == 0 ? throw new TimeoutException("No luck.") : field;
            set;
        }
    }

    [JsonConverter(typeof(RawTextConverter))]
    private sealed record RawText(string Json);

    private sealed class RawTextConverter : JsonConverter<RawText>
    {
        public override RawText Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            throw new NotSupportedException();

        public override void Write(Utf8JsonWriter writer, RawText value, JsonSerializerOptions options) =>
            writer.WriteRawValue(value.Json, skipInputValidation: true);
    }
}
