using System.Text.Json.Nodes;
using Opossum.Testing;

namespace Opossum.Tests.Serialization;

public sealed class EventTypeCheckTests
{
    [EventType("room-booked", Version = 2)]
    private sealed record RoomBooked([property: Tag("room")] string Room, [property: Tag("guest")] string Guest, int Nights);

    [Fact]
    public async Task Events_that_todays_types_read_are_counted_by_type_and_version()
    {
        await using var store = Open(json => json["nights"] = 1);
        await store.AppendAsync([Booked(1, """{ "room": "r1", "guest": "ada" }"""), Booked(2, """{ "room": "r1", "guest": "ada", "nights": 2 }""")]);
        await store.AppendAsync(new NewEvent(new RoomBooked("r1", "ben", 3)));

        var report = await store.CheckEventTypesAsync();

        Assert.True(report.IsClean);
        Assert.Equal((3, 3L), (report.Head, report.Events));
        Assert.Equal([(1, 2, 1L), (2, 2, 2L)], report.Results.Select(result => (result.Version, result.RegisteredVersion!.Value, result.Events)));
        Assert.Equal(
            """
            3 events up to position 3: all can be read as objects
            room-booked, version 1, read as version 2: 1 event
            room-booked, version 2: 2 events
            """,
            report.ToString(), ignoreLineEndingDifferences: true);
    }

    [Fact]
    public async Task Events_that_cannot_be_read_are_counted_and_the_first_ones_named()
    {
        await using var store = Open(json => json["nights"] = json["days"]!.DeepClone());
        for (var n = 0; n < 12; n++)
            await store.AppendAsync(Booked(1, """{ "room": "r1", "guest": "ada" }"""));
        await store.AppendAsync(NewEvent.FromJson("room-closed", "{}"));
        await store.AppendAsync(Booked(3, "{}"));

        var report = await store.CheckEventTypesAsync();

        Assert.Equal(14, report.Failures);
        Assert.Equal(["room-booked 1", "room-booked 3", "room-closed 1"], report.Results.Select(result => $"{result.EventType} {result.Version}"));
        Assert.Equal([1L, 2, 3, 4, 5, 6, 7, 8, 9, 10], report.Results[0].FirstFailures);
        Assert.Equal(12, report.Results[0].Failures);
        Assert.Contains("its upcaster failed", report.Results[0].Problem, StringComparison.Ordinal);
        Assert.Contains("newer version of the app", report.Results[1].Problem, StringComparison.Ordinal);
        Assert.Contains("is not registered", report.Results[2].Problem, StringComparison.Ordinal);
        Assert.Null(report.Results[2].RegisteredVersion);
    }

    [Fact]
    public async Task Events_that_lack_a_tag_of_todays_class_are_named_and_can_be_read()
    {
        await using var store = Open(json => json["nights"] = 1);
        await store.AppendAsync(NewEvent.FromJson("room-booked", """{ "room": "r1", "guest": "ada" }""", new Tag("room", "r1")));

        var report = await store.CheckEventTypesAsync();

        Assert.True(report.IsClean);
        var result = Assert.Single(report.Results);
        Assert.Equal((1L, 1L), (result.LackingTags, Assert.Single(result.FirstLackingTags)));
        Assert.Contains("1 lack a tag", report.ToString(), StringComparison.Ordinal);
    }

    [EventType("guest-came")]
    private sealed record GuestCame([property: Tag("email", IsPseudonym = true)] string Email);

    [Fact]
    public async Task Events_with_the_tag_in_plain_lack_a_pseudonym()
    {
        var options = new OpossumOptions();
        options.EventTypes.Add<GuestCame>();
        await using var store = InMemoryEventStore.Open(options);
        await store.AppendAsync(new NewEvent(new GuestCame("ada@a.example")));
        await store.AppendAsync(NewEvent.FromJson("guest-came", """{ "email": "ada@a.example" }""", new Tag("email", "ada@a.example")));

        var result = Assert.Single((await store.CheckEventTypesAsync()).Results);

        Assert.Equal((1L, 2L), (result.LackingTags, Assert.Single(result.FirstLackingTags)));
    }

    [Fact]
    public async Task A_query_restricts_the_check()
    {
        await using var store = Open(json => json["nights"] = 1);
        await store.AppendAsync(NewEvent.FromJson("somebody-elses", "{}"));

        Assert.False((await store.CheckEventTypesAsync()).IsClean);
        Assert.Equal(0, (await store.CheckEventTypesAsync(Query.For<RoomBooked>())).Events);
    }

    private static FileSystemEventStore Open(Action<JsonNode> upcast)
    {
        var options = new OpossumOptions();
        options.EventTypes.Add<RoomBooked>().AddUpcaster("room-booked", 1, json =>
        {
            upcast(json);
            return json;
        });
        return InMemoryEventStore.Open(options);
    }

    private static NewEvent Booked(int version, string json) =>
        NewEvent.FromJson("room-booked", json, version, new Tag("room", "r1"), new Tag("guest", "ada"));
}
