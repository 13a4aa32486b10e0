using Opossum.Serialization;
using Opossum.Storage.Index;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

/// <summary>A caller's mistake: named exactly, before anything happens on the disk.</summary>
public sealed class BadEventTests : IDisposable
{
    private const string Lone = "a\ud83d!";

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);
    private readonly FileSystemEventStore store;

    public BadEventTests() => store = place.Open(options => options.Advanced.MaxPayloadBytes = 1_000);

    // Half a surrogate pair does not survive the way of a theory's data.
    private static readonly (string Type, string Message)[] badTypes =
    [
        ("", "The event type is empty; give it a stable name"),
        (new string('t', 1_001), "The event type has 1,001 characters; at most 1,000 are allowed. It begins with \"ttt"),
        (Lone, "The event type is not valid Unicode: the surrogate U+D83D at index 1 stands alone."),
        ("\udc00", "The event type is not valid Unicode: the surrogate U+DC00 at index 0 stands alone."),
    ];

    private static readonly (string Key, string Value, string Parameter, string Message)[] badTags =
    [
        ("", "v", "key", "The tag's key is empty"),
        ("a:b", "v", "key", "The tag key \"a:b\" contains a ':'"),
        (new string('k', 1_001), "v", "key", "The tag's key has 1,001 characters; at most 1,000 are allowed."),
        (Lone, "v", "key", "The tag's key is not valid Unicode: the surrogate U+D83D at index 1"),
        ("k", new string('v', 10_001), "value", "The tag's value has 10,001 characters; at most 10,000 are allowed."),
        ("k", Lone, "value", "The tag's value is not valid Unicode: the surrogate U+D83D at index 1"),
    ];

    public static TheoryData<string, string> BadJson => new()
    {
        { "", "is not valid." },
        { " ", "is not valid." },
        { "{", "is not valid." },
        { "{\"a\":1,}", "BytePositionInLine: 7" },
        { "{'a':1}", "is not valid." },
        { "{} {}", "BytePositionInLine: 3" },
        { "// comment\n1", "is not valid." },
        { "NaN", "is not valid." },
        { "01", "is not valid." },
        { "\"a", "is not valid." },
        { "\"\n\"", "is not valid." },
        { "\"\\ud800\"", "half a surrogate pair" },
        { "{\"\\ud800\":1}", "half a surrogate pair" },
        { "{\"a\":1,\"\\u0061\":2}", "The member \"a\" occurs twice in one object." },
        { "\uFEFF{}", "byte order mark" },
        { new string('[', 65) + new string(']', 65), "is not valid." },
    };

    [Fact]
    public void An_empty_id_is_refused()
    {
        Assert.Contains("Guid.Empty", Assert.Throws<ArgumentException>("Id", () => NewEvent.FromJson("t", "{}") with { Id = Guid.Empty }).Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentException>("Id", () => new NewEvent("data") { Id = default });
    }

    [Fact]
    public void An_event_type_that_is_not_allowed_is_refused_wherever_it_is_given()
    {
        foreach (var (type, message) in badTypes)
        {
            AssertArgument<ArgumentException>(() => NewEvent.FromJson(type, "{}"), "type", message);
            AssertArgument<ArgumentException>(() => NewEvent.FromJson(type, "{}"u8.ToArray(), []), "type", message);
            AssertArgument<ArgumentException>(() => Query.FromEventTypes("good", type), nameof(QueryItem.Types), message);
        }
    }

    [Fact]
    public async Task Metadata_that_change_after_they_were_checked_are_not_stored()
    {
        var metadata = new Dictionary<string, string> { ["source"] = "shop" };
        var e = New("t") with { Metadata = metadata };
        metadata["source"] = null!;

        await store.AppendAsync([e]);

        Assert.Equal(new Dictionary<string, string> { ["source"] = "shop" }, (await store.ReadAllAsync())[0].Metadata);
    }

    [Fact]
    public void A_tag_that_is_not_allowed_is_refused()
    {
        foreach (var (key, value, parameter, message) in badTags)
            AssertArgument<ArgumentException>(() => new Tag(key, value), parameter, message);
    }

    [Fact]
    public void The_longest_names_are_allowed()
    {
        Assert.Equal(1_000, NewEvent.FromJson(new string('t', 1_000), "{}").Type!.Length);
        Assert.Equal(11_001, new Tag(new string('k', 1_000), new string('v', 10_000)).ToString().Length);
        Assert.Equal(new Tag("k", ":a:"), Tag.Parse("k::a:"));
        Assert.Equal(new Tag("k", ""), Tag.Parse("k:"));
        Assert.Equal((new Tag("k"), "k", "", false), (Tag.Parse("k"), Tag.Parse("k").Key, Tag.Parse("k").Value, Tag.Parse("k").HasValue));
        Assert.NotEqual(new Tag("k"), new Tag("k", ""));
        Assert.Equal("k k:", $"{new Tag("k")} {new Tag("k", "")}");
    }

    [Fact]
    public void A_written_tag_without_a_key_is_refused()
    {
        AssertArgument<ArgumentException>(() => Tag.Parse(""), "key", "The tag's key is empty");
        AssertArgument<ArgumentException>(() => Tag.Parse(":c1"), "key", "The tag's key is empty");
        AssertArgument<ArgumentNullException>(() => Tag.Parse(null!), "text", "");
    }

    [Fact]
    public void Null_is_refused_by_the_name_of_its_parameter()
    {
        AssertArgument<ArgumentNullException>(() => new NewEvent(null!), "data", "");
        AssertArgument<ArgumentNullException>(() => NewEvent.FromJson(null!, "{}"), "type", "");
        AssertArgument<ArgumentNullException>(() => NewEvent.FromJson("t", (string)null!), "json", "");
        AssertArgument<ArgumentNullException>(() => NewEvent.FromJson("t", "{}", null!), "tags", "");
        AssertArgument<ArgumentNullException>(() => new Tag(null!, "v"), "key", "");
        AssertArgument<ArgumentNullException>(() => new Tag("k", null!), "value", "");
        AssertArgument<ArgumentNullException>(() => new AppendCondition(null!), "FailIfEventsMatch", "");
        AssertArgument<ArgumentNullException>(() => Query.FromItems(null!), "items", "");
        AssertArgument<ArgumentNullException>(() => Query.FromItems(Item(["a"]), null!), "items", "Item 1 of the query is null.");
        AssertArgument<ArgumentNullException>(() => Query.FromTags(null!), "tags", "");
        AssertArgument<ArgumentNullException>(() => Query.FromEventTypes(null!), "eventTypes", "");
        AssertArgument<ArgumentNullException>(() => Query.FromEventTypes((string)null!), "Types", "");
        AssertArgument<ArgumentNullException>(() => store.ReadAsync(null!), "query", "");
        AssertArgument<ArgumentNullException>(() => new NewEvent("data") { Metadata = null! }, "Metadata", "");
        AssertArgument<ArgumentException>(() => new NewEvent("data") { Metadata = new Dictionary<string, string> { ["k"] = null! } }, "Metadata",
            "A key or a value of the metadata is null.");
    }

    [Fact]
    public void A_tag_without_key_and_value_is_refused()
    {
        AssertArgument<ArgumentException>(() => new NewEvent("data", default(Tag)), "tags", "A tag of the event is default(Tag)");
        AssertArgument<ArgumentException>(() => NewEvent.FromJson("t", "{}", new Tag("k", "v"), default), "tags",
            "make tags with new Tag(key, value)");
        AssertArgument<ArgumentException>(() => Query.FromTags(default(Tag)), "Tags", "A tag of the query item is default(Tag)");
    }

    [Fact]
    public void A_query_without_items_or_with_an_empty_one_is_refused_and_told_of_Query_All()
    {
        AssertArgument<ArgumentException>(() => Query.FromItems(), "items", "A query needs at least one item; to match every event use Query.All.");
        AssertArgument<ArgumentException>(() => Query.FromItems(Item(["a"]), new QueryItem()), "items",
            "Item 1 of the query has neither event types nor tags; to match every event use Query.All.");
        AssertArgument<ArgumentException>(() => Query.FromTags(), "items", "Query.All");
        AssertArgument<ArgumentException>(() => Query.FromEventTypes(), "items", "Query.All");
    }

    [Fact]
    public void Numbers_out_of_range_are_refused()
    {
        AssertArgument<ArgumentOutOfRangeException>(() => new AppendCondition(Query.All, -1), "After", "-1");
        AssertArgument<ArgumentOutOfRangeException>(() => new ReadOptions { After = -1 }, "After", "-1");
        AssertArgument<ArgumentOutOfRangeException>(() => new ReadOptions { Limit = -1 }, "Limit", "-1");
        AssertArgument<ArgumentOutOfRangeException>(() => NewEvent.FromJson("t", "{}"u8.ToArray(), version: 0), "version", "0");
    }

    [Fact]
    public void Half_a_surrogate_pair_is_refused_in_JSON_and_metadata()
    {
        AssertArgument<ArgumentException>(() => NewEvent.FromJson("t", $"\"{Lone}\""), "json",
            "The event's JSON is not valid Unicode: the surrogate U+D83D at index 2 stands alone.");
        AssertArgument<ArgumentException>(() => new NewEvent("data") { Metadata = new Dictionary<string, string> { [Lone] = "" } }, "Metadata",
            "A key of the metadata is not valid Unicode");
        AssertArgument<ArgumentException>(() => new NewEvent("data") { Metadata = new Dictionary<string, string> { ["k"] = Lone } }, "Metadata",
            "The metadata's value of \"k\" is not valid Unicode");
    }

    [Theory]
    [MemberData(nameof(BadJson))]
    public Task Data_that_is_no_JSON_is_refused_with_the_place_of_the_mistake(string json, string message) =>
        AssertRefusedAsync<ArgumentException>([New("good"), NewEvent.FromJson("bad", json)],
            "events[1] is not allowed. Its JSON, of the event type \"bad\", is not valid.", message);

    [Fact]
    public async Task Data_that_is_no_UTF8_is_refused()
    {
        foreach (var bytes in new byte[][] { [0x22, 0xFF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22],
            [0x22, 0xF0, 0x9F, 0x98, 0x22] })
        {
            await AssertRefusedAsync<ArgumentException>([NewEvent.FromJson("bad", bytes, [])], "events[0] is not allowed.",
                "It is not valid UTF-8. LineNumber: 0 | BytePositionInLine: 1.");
        }
    }

    [Fact]
    public async Task Missing_events_are_refused()
    {
        await AssertRefusedAsync<ArgumentNullException>(null!);
        await AssertRefusedAsync<ArgumentException>([], "There are no events; an append needs at least one.");
        await AssertRefusedAsync<ArgumentNullException>([New("a"), null!, New("b")], "events[1] is null.");
    }

    [Fact]
    public async Task One_event_given_twice_in_an_append_is_refused()
    {
        var e = New("a");
        await AssertRefusedAsync<ArgumentException>([e, New("b"), e], "events[2] has the same id as events[0]", e.Id.ToString());
    }

    [Fact]
    public async Task Data_of_a_type_that_is_not_registered_is_refused_and_told_how_to_register_it() =>
        await AssertRefusedAsync<ArgumentException>([new NewEvent(new Version(1, 2))],
            "events[0] is not allowed. Its data is of type System.Version, which is not registered as an event type",
            "options.EventTypes.Add<Version>()");

    [Fact]
    public async Task An_append_whose_names_are_too_long_for_the_index_is_refused_and_one_that_repeats_its_names_is_not()
    {
        var text = new string('中', 9_990);
        await AssertRefusedAsync<ArgumentException>([.. Enumerable.Range(0, 2_300).Select(number => New("t", $"k:{text}{number}"))],
            "The types and tags of the events take 69,001,196 bytes in the index;",
            "at most 67,108,864 are allowed in one append. Append fewer events at a time.");
        await store.AppendAsync(Many(1, "t", $"k:{text}"));
        IndexFrame.ThrowIfTooLong([.. Enumerable.Repeat(new PreparedEvent("t", 1, [Tag.Parse($"k:{text}")], Guid.Empty, [], []), 2_300)]);
    }

    [Fact]
    public async Task A_payload_over_the_limit_is_refused_and_one_at_the_limit_is_not()
    {
        // Quotes count, white space does not; a character counts as many bytes as it takes.
        await store.AppendAsync([NewEvent.FromJson("t", "  \"" + new string('ä', 499) + "\"  ")]);
        await AssertRefusedAsync<ArgumentException>([New("a"), NewEvent.FromJson("t", "\"x" + new string('ä', 499) + "\"")],
            "events[1] is not allowed. Its data has more than 1,000 bytes of compact JSON, the maximum unless the app sets another one "
                + "(OpossumOptions.Advanced.MaxPayloadBytes).");
    }

    [Fact]
    public async Task Metadata_over_the_limit_is_refused()
    {
        var typed = place.Open(options =>
        {
            options.Advanced.MaxPayloadBytes = 100;
            options.EventTypes.Add<Version>("version");
        });
        var e = new NewEvent(new Version(1, 2)) { Metadata = new Dictionary<string, string> { ["k"] = new string('x', 93) } };
        var error = await Assert.ThrowsAsync<ArgumentException>(async () => await typed.AppendAsync([e]));
        Assert.Contains("Its metadata has more than 100 bytes of compact JSON, the maximum", error.Message, StringComparison.Ordinal);
    }

    public void Dispose()
    {
        place.CloseStores();
        place.AssertClean();
        place.Dispose();
    }

    [Fact]
    public void A_condition_on_a_class_that_is_not_registered_is_refused_before_a_schema_is_written()
    {
        var other = place.Open(static options => options.EventTypes.Add<Registered>());
        var before = place.Snapshot();
        var condition = new AppendCondition(Query.For<Unregistered>());

        AssertArgument<ArgumentException>(() => other.AppendAsync(new NewEvent(new Registered(1)), condition), "condition", "is not registered");

        Assert.Equal(before, place.Snapshot());
    }

    [EventType("registered")]
    internal sealed record Registered(int Number);

    [EventType("unregistered")]
    internal sealed record Unregistered(int Number);

    private static void AssertArgument<TException>(Func<object?> call, string parameter, string message)
        where TException : ArgumentException
    {
        var error = Assert.Throws<TException>(call);
        Assert.Equal(parameter, error.ParamName);
        Assert.Contains(message, error.Message, StringComparison.Ordinal);
    }

    private async Task AssertRefusedAsync<TException>(NewEvent[] events, params string[] messages)
        where TException : ArgumentException
    {
        var before = place.Snapshot();
        var error = await Assert.ThrowsAsync<TException>(async () => await store.AppendAsync(events));

        Assert.Equal("events", error.ParamName);
        foreach (var message in messages)
            Assert.Contains(message, error.Message, StringComparison.Ordinal);
        Assert.Equal(before, place.Snapshot());
    }
}
