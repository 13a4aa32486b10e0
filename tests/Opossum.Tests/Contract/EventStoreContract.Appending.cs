using System.Text;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    [Fact] // Writing Events: MUST persist one or more events atomically.
    public async Task One_event_and_several_are_appended_in_the_order_given()
    {
        Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 1 }, await store.AppendAsync([New("a")]));
        Assert.Equal(new AppendResult { FirstPosition = 2, LastPosition = 4 }, await store.AppendAsync([New("b"), New("c"), New("d")]));

        Assert.Equal(["a", "b", "c", "d"], (await store.ReadAllAsync()).Select(e => e.Type));
    }

    [Fact] // Sequence Position: MUST be unique and increase; ours begin with 1 and have no gap.
    public async Task Positions_begin_with_1_and_have_no_gap_over_failures_and_reopenings()
    {
        Assert.Equal(0, await store.GetHeadAsync());
        await store.AppendAsync([New("a"), New("b")]);
        await RefusalAsync(store.AppendAsync([New("c"), New("d")], new AppendCondition(Query.All)));
        await Assert.ThrowsAsync<ArgumentException>(async () => await store.AppendAsync([New("c"), NewEvent.FromJson("d", "no JSON")]));
        Assert.Equal(new AppendResult { FirstPosition = 3, LastPosition = 3 }, await store.AppendAsync([New("e")]));
        await store.DisposeAsync();

        var again = Open();
        Assert.Equal(3, await again.GetHeadAsync());
        Assert.Equal(new AppendResult { FirstPosition = 4, LastPosition = 5 }, await again.AppendAsync([New("f"), New("g")]));
        Assert.Equal([1, 2, 3, 4, 5], await again.PositionsAsync());
        Assert.Equal(["a", "b", "e", "f", "g"], (await again.ReadAllAsync()).Select(e => e.Type));
    }

    [Fact] // Event: MUST have type and data, MAY have tags and further fields. Sequenced Event: MUST hold the event and its position.
    public async Task An_event_is_read_as_it_was_appended_from_this_store_and_any_other()
    {
        (string Type, string Json, Tag[] Tags)[] given =
        [
            ("plain", "{}", []),
            ("grüße 😀 \"quoted\"\n\u2028\0", """{"a":[1.0,1e+400,-0,"ü😀\n\u0000\"\\",null,true,{"b":{}}],"position":99,"tags":["k:9"],"type":"b"}""",
                [new Tag("k", "1"), new Tag("k", "2"), new Tag("schlüssel", "a:b \"😀\"\n\u2028\0"), new Tag("empty", "")]),
            (new string('x', 1_000), "\"text\"", [new Tag(new string('k', 1_000), new string('v', 10_000))]),
        ];
        NewEvent[] events = [.. given.Select(each => NewEvent.FromJson(each.Type, each.Json, each.Tags))];
        var before = place.Clock.GetUtcNow();
        await store.AppendAsync(events);

        foreach (var reader in new[] { store, Open() })
        {
            var read = await reader.ReadAllAsync();
            for (var at = 0; at < given.Length; at++)
            {
                Assert.Equal((at + 1, given[at].Type, events[at].Id), (read[at].Position, read[at].Type, read[at].Id));
                Assert.Equal(given[at].Json, Encoding.UTF8.GetString(read[at].Json.Span));
                Assert.Equal(given[at].Tags, read[at].Tags);
                Assert.Equal(1, read[at].Version);
                Assert.Empty(read[at].Metadata);
                Assert.InRange(read[at].Timestamp, before, place.Clock.GetUtcNow());
            }
            foreach (var each in given)
            {
                Assert.Single(await reader.ReadAllAsync(Query.FromEventTypes(each.Type)));
                foreach (var tag in each.Tags)
                    Assert.Single(await reader.ReadAllAsync(Query.FromTags(tag)));
            }
        }
    }

    [Fact] // Event Data: an opaque payload.
    public async Task Data_may_be_any_JSON_value_and_is_never_looked_at()
    {
        string[] values = ["null", "true", "0", "1.50", "12345678901234567890123", "\"\"", "[]", "[[]]", """{"type":"other","tags":["k:1"]}"""];
        await store.AppendAsync([.. values.Select(json => NewEvent.FromJson("t", json))]);

        Assert.Equal(values, (await store.ReadAllAsync()).Select(e => Encoding.UTF8.GetString(e.Json.Span)));
        Assert.Empty(await store.ReadAllAsync(Query.FromEventTypes("other")));
        Assert.Empty(await store.ReadAllAsync(Tagged("k:1")));
    }

    [Fact] // Tags: SHOULD NOT hold one tag twice.
    public async Task A_tag_given_twice_is_kept_once()
    {
        await store.AppendAsync([New("a", "k:1", "m:1", "k:1")]);
        await store.AppendAsync([New("a", [.. Enumerable.Range(0, 40).Select(number => $"k:{number % 20}")])]);

        var read = await store.ReadAllAsync();
        Assert.Equal([new Tag("k", "1"), new Tag("m", "1")], read[0].Tags);
        Assert.Equal(Enumerable.Range(0, 20).Select(number => new Tag("k", $"{number}")), read[1].Tags);
        Assert.Equal([1, 2], await store.PositionsAsync(Tagged("k:1")));
    }

    [Fact]
    public async Task An_append_larger_than_a_group_is_one_append()
    {
        var result = await store.AppendAsync(Many(1_100, "t", "k:1"));

        Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 1_100 }, result);
        Assert.Equal(1_100, (await store.PositionsAsync(Tagged("k:1"))).Count);
        Assert.Equal(1_100, place.Event(1).Commit.Count);
    }

    [Fact]
    public async Task An_append_sees_the_clock_it_was_given()
    {
        var time = new DateTimeOffset(2031, 2, 3, 4, 5, 6, TimeSpan.Zero).AddTicks(7);
        var other = Open(options => options.TimeProvider = new FixedTime(time));
        await other.AppendAsync([New("a")]);

        Assert.Equal(time, (await store.ReadAllAsync())[0].Timestamp);
    }

    [Fact]
    public async Task Metadata_id_and_version_are_kept()
    {
        var metadata = new Dictionary<string, string> { ["z"] = "1", ["ä\"\n"] = "😀\u2028\0", ["empty"] = "" };
        var noted = new NewEvent(new Noted("text")) { Id = Guid.Parse("0199e0c1-0000-7000-8000-000000000001"), Metadata = metadata };
        await store.AppendAsync([noted, NewEvent.FromJson("raw", "{}"u8.ToArray(), version: int.MaxValue)]);

        foreach (var reader in new[] { store, Open() })
        {
            var read = await reader.ReadAllAsync();
            Assert.Equal(metadata, read[0].Metadata);
            Assert.Equal((noted.Id, new Noted("text")), (read[0].Id, read[0].Data));
            Assert.Equal([1, int.MaxValue], read.Select(e => e.Version));
        }
    }

    private sealed class FixedTime(DateTimeOffset now) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => now;
    }

    private sealed record Noted(string Text);

    private sealed record Remarked(string Text);
}
