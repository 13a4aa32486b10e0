using System.Text.Json;
using System.Text.Json.Serialization;
using Opossum.Testing;

namespace Opossum.Tests.Serialization;

/// <summary>What happens when a class and the JSON that is stored of it have different members.</summary>
public sealed class MemberTests
{
    [Theory]
    [InlineData("""{"roomId":"r1","places":4}""", "places")]
    [InlineData("""{"roomId":"r1"}""", "beds")]
    [InlineData("""{"beds":4}""", "roomId")]
    [InlineData("""{"roomId":"r1","beds":4,"floor":2}""", "floor")]
    [InlineData("""{"roomId":"r1","beds":4,"view":{"to":"sea","far":true}}""", "far")]
    [InlineData("""{"roomId":"r1","beds":4,"view":{}}""", "to")]
    [InlineData("""{"roomId":"r1","beds":"four"}""", "$.beds")]
    public void A_member_that_is_unknown_missing_or_of_another_kind_is_refused_by_name(string json, string member)
    {
        var refusal = Assert.Throws<EventDataException>(() => Stored(json, types => types.Add<RoomBuilt>()).Data);

        Assert.Contains(member, refusal.Message, StringComparison.Ordinal);
        Assert.Contains("It has version 1, and the class is registered with version 1.", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("EventTypes.AddUpcaster(\"room-built\", fromVersion: 1, ...)", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("EventTypes.AllowUnknownOrMissingMembers()", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_nullable_or_has_a_default_value_may_be_missing() =>
        Assert.Equal(new RoomBuilt("r1", 4, null, null), Stored("""{"roomId":"r1","beds":4}""", types => types.Add<RoomBuilt>()).Data);

    [Fact]
    public void Members_are_compared_without_regard_to_case() =>
        Assert.Equal(new RoomBuilt("r1", 4, null, null), Stored("""{"RoomId":"r1","BEDS":4}""", types => types.Add<RoomBuilt>()).Data);

    [Fact]
    public void What_the_class_writes_it_reads_whatever_its_properties_are()
    {
        var closed = new RoomClosed("r1") { Reason = null, Until = new DateOnly(2026, 2, 3) };
        var types = new EventTypeRegistry();
        types.Add<RoomClosed>("room-closed");

        Assert.Equal(closed, Append(types, new NewEvent(closed)).Data);
    }

    [Fact]
    public void Given_options_are_strict_too_but_what_they_leave_out_may_be_missing()
    {
        var leavingOut = new JsonSerializerOptions(JsonSerializerDefaults.Web) { DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingDefault };
        var types = new EventTypeRegistry();
        types.UseJsonSerializerOptions(leavingOut).Add<RoomBuilt>();

        Assert.Equal(new RoomBuilt("r1", 0, null, null), Append(types, new NewEvent(new RoomBuilt("r1", 0, null, null))).Data);
        Assert.Throws<EventDataException>(() => Stored("""{"roomId":"r1","floor":2}""",
            each => each.UseJsonSerializerOptions(leavingOut).Add<RoomBuilt>()).Data);
    }

    [Fact]
    public void Where_nulls_are_left_out_a_missing_number_is_refused_and_what_is_declared_as_required_too()
    {
        var leavingOut = new JsonSerializerOptions(JsonSerializerDefaults.Web) { DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull };

        Assert.Throws<EventDataException>(() => Stored("""{"roomId":"r1"}""",
            each => each.UseJsonSerializerOptions(leavingOut).Add<RoomBuilt>()).Data);
        Assert.Throws<EventDataException>(() => Stored("""{"roomId":"r1"}""", static each => each.Add<Noted>("room-built")).Data);
        var types = new EventTypeRegistry().UseJsonSerializerOptions(leavingOut).Add<RoomBuilt>();
        Assert.Equal(new RoomBuilt("r1", 0, null, null), Append(types, new NewEvent(new RoomBuilt("r1", 0, null, null))).Data);
    }

    [Fact]
    public void Version_of_the_attribute_is_not_lowered_by_a_registration_with_a_name() =>
        Assert.Throws<InvalidOperationException>(() => new EventTypeRegistry().Add<Moved>("moved"));

    [Fact]
    public void An_upcaster_mends_what_was_renamed()
    {
        var e = Stored("""{"roomId":"r1","places":4}""", types => types.Add<Room>("room-built", 2).AddUpcaster("room-built", 1, json =>
        {
            json["beds"] = json["places"]!.DeepClone();
            json.AsObject().Remove("places");
            return json;
        }));

        Assert.Equal(new Room("r1", 4), e.Data);
    }

    [Fact]
    public void An_upcaster_that_leaves_a_member_out_is_named()
    {
        var e = Stored("{}", types => types.Add<Room>("room-built", 2).AddUpcaster("room-built", 1, json => json));

        Assert.Contains("The upcasters of \"room-built\" converted the JSON from version 1 to 2",
            Assert.Throws<EventDataException>(() => e.Data).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_registry_that_reads_tolerantly_passes_over_what_is_unknown_and_leaves_out_what_is_missing() =>
        Assert.Equal(new RoomBuilt("r1", 0, null, null),
            Stored("""{"roomId":"r1","places":4}""", types => types.Add<RoomBuilt>().AllowUnknownOrMissingMembers()).Data);

    [Fact]
    public void One_class_alone_may_pass_over_what_is_unknown() =>
        Assert.Equal(new Lenient("r1"), Stored("""{"roomId":"r1","places":4}""", types => types.Add<Lenient>("room-built")).Data);

    private static SequencedEvent Stored(string json, Action<EventTypeRegistry> register)
    {
        var types = new EventTypeRegistry();
        register(types);
        return Append(types, NewEvent.FromJson("room-built", json));
    }

    private static SequencedEvent Append(EventTypeRegistry types, NewEvent newEvent)
    {
        using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });
        store.AppendAsync(newEvent).GetAwaiter().GetResult();
        return store.ReadLastAsync(Query.All).GetAwaiter().GetResult()!;
    }

    [EventType("room-built")]
    private sealed record RoomBuilt(string RoomId, int Beds, string? Name, int? Wing, View? View = null, int? Size = 20, decimal Price = 3,
        string? Note = "none");

    private sealed record View(string To);

    private sealed record Room(string RoomId, int Beds);

    [JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Skip)]
    private sealed record Lenient(string RoomId);

    private sealed record RoomClosed(string RoomId)
    {
        public string? Reason { get; init; }

        public required DateOnly Until { get; init; }

        [JsonIgnore]
        public bool IsForGood => Until == DateOnly.MaxValue;

        public int Day => Until.Day;

        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
        public int Keys { get; init; }
    }

    private sealed record Noted(string RoomId, [property: JsonRequired] string? Note);

    [EventType("moved", Version = 2)]
    private sealed record Moved(string RoomId);
}
