using System.Text;
using System.Text.Json.Nodes;
using Opossum.Serialization;

namespace Opossum.Tests.Serialization;

public sealed class EventReadingTests
{
    private readonly EventTypeRegistry types = new();

    [Fact]
    public void Data_comes_back_as_it_was()
    {
        types.Add<ParcelSent>().Add(ParcelsJson.Default.ParcelChanged, "parcel-changed");
        var sent = new ParcelSent("p1", "Jörg 😀 \" \\ \u2028", 7);
        var changed = new ParcelChanged(ParcelState.FoundAgain);
        var prepared = new EventSerializer(types, 1_000).Prepare([new NewEvent(sent), new NewEvent(changed)]);

        Assert.Equal(sent, Stored(prepared[0]).Data);
        Assert.Equal(changed, Stored(prepared[1]).Data);
    }

    [Fact]
    public void Metadata_comes_back_as_it_was()
    {
        var metadata = new Dictionary<string, string> { ["ä\""] = "😀\n\u007F", [""] = "" };
        var prepared =
            new EventSerializer(types.Add<ParcelSent>(), 1_000).Prepare([new NewEvent(new ParcelSent("p1", null)) { Metadata = metadata }]);

        Assert.Equal(metadata, Stored(prepared[0]).Metadata);
    }

    [Fact]
    public void Old_JSON_takes_every_step_from_its_version()
    {
        types.Add<ParcelWeighed>()
            .AddUpcaster("parcel-weighed", 1, json => new JsonObject { ["parcelId"] = json["id"]!.GetValue<string>(), ["grams"] = 1 })
            .AddUpcaster("parcel-weighed", 2, json => { json["unit"] = "g"; return json; });

        Assert.Equal(new ParcelWeighed("p1", 1, "g"), Stored("parcel-weighed", 1, """{"id":"p1"}""").Data);
        Assert.Equal(new ParcelWeighed("p1", 2, "g"), Stored("parcel-weighed", 2, """{"parcelId":"p1","grams":2}""").Data);
        Assert.Equal(new ParcelWeighed("p1", 3, "lb"), Stored("parcel-weighed", 3, """{"parcelId":"p1","grams":3,"unit":"lb"}""").Data);
    }

    [Fact]
    public void Upcasting_leaves_the_stored_JSON_alone()
    {
        types.Add<ParcelSent>("parcel-sent", 2).AddUpcaster("parcel-sent", 1, json => { json["grams"] = 5; return json; });
        var e = Stored("parcel-sent", 1, """{"parcelId":"p1"}""");

        Assert.Equal(new ParcelSent("p1", null, 5), e.Data);
        Assert.Equal("""{"parcelId":"p1"}""", Encoding.UTF8.GetString(e.Json.Span));
    }

    [Fact]
    public void A_JSON_null_is_null_and_no_upcaster_is_asked()
    {
        types.Add<ParcelSent>("parcel-sent", 2).AddUpcaster("parcel-sent", 1, _ => throw new InvalidOperationException());

        Assert.Null(Stored("parcel-sent", 1, "null").Data);
        Assert.Null(Stored("parcel-sent", 2, "null").Data);
    }

    [Fact]
    public void An_unregistered_type_says_how_to_register_it() =>
        Fails(Stored("unknown", 1, "{}"), "options.EventTypes.Add<T>()");

    [Fact]
    public void A_version_newer_than_the_registered_one_is_told()
    {
        types.Add<ParcelSent>();

        Fails(Stored("parcel-sent", 2, "{}"), "newer");
    }

    [Fact]
    public void JSON_that_does_not_fit_is_told_with_what_the_serializer_said()
    {
        types.Add<ParcelSent>().Add<int>("count");

        Assert.NotNull(Fails(Stored("parcel-sent", 1, """{"grams":"many"}"""), "ParcelSent").InnerException);
        Assert.NotNull(Fails(Stored("count", 1, "null"), "Int32").InnerException);
    }

    [Fact]
    public void An_upcaster_that_fails_is_told_with_its_step()
    {
        types.Add<ParcelGrüße>("throws", 2).AddUpcaster("throws", 1, _ => throw new TimeoutException("No luck."));
        types.Add<ParcelChanged>("returns-null", 3).AddUpcaster("returns-null", 1, json => json).AddUpcaster("returns-null", 2, _ => null!);

        Assert.IsType<TimeoutException>(Fails(Stored("throws", 1, "{}"), "from version 1 to 2").InnerException);
        Fails(Stored("returns-null", 1, "{}"), "from version 2 to 3");
    }

    [Fact]
    public void An_upcast_shape_that_does_not_fit_is_told()
    {
        types.Add<ParcelSent>("parcel-sent", 2).AddUpcaster("parcel-sent", 1, _ => new JsonArray());

        Fails(Stored("parcel-sent", 1, "{}"), "ParcelSent");
    }

    private static EventDataException Fails(SequencedEvent e, string part)
    {
        var exception = Assert.Throws<EventDataException>(() => e.Data);
        Assert.Equal((e.Type, e.Position), (exception.EventType, exception.Position));
        Assert.Contains(part, exception.Message, StringComparison.Ordinal);
        return exception;
    }

    private SequencedEvent Stored(PreparedEvent e) =>
        new(17, e.Type, e.Version, e.Tags, 0, e.Id, [.. e.Metadata, .. e.Json], e.Metadata.Length,
            new DecoderWithoutKeys(new EventSerializer(types, 1_000)));

    private SequencedEvent Stored(string type, int version, string json) =>
        Stored(new PreparedEvent(type, version, [], Guid.NewGuid(), Encoding.UTF8.GetBytes(json), []));
}
