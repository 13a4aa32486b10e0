using System.Text.Json;
using System.Text.Json.Serialization;
using Opossum.Testing;

namespace Opossum.DocTests;

[EventType("student-enrolled", Version = 2)]
public record StudentEnrolled([property: Tag("student")] string StudentId, string Name, string Language);

[EventType("order-placed")]
public record OrderPlaced([property: Tag("order")] string OrderId, [property: Tag("article")] string[] Articles, decimal Total);

[JsonSourceGenerationOptions(
    JsonSerializerDefaults.Web,
    UseStringEnumConverter = true,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(CourseDefined))]
[JsonSerializable(typeof(StudentSubscribed))]
public partial class EventsJson : JsonSerializerContext;

public sealed class Enrolments(IEventStore store)
{
    public async Task<bool> SubscribeAsync(string courseId, string studentId, CancellationToken cancellationToken)
    {
        var subscribed = new NewEvent(new StudentSubscribed(courseId, studentId));
        var query = Query.FromTags(new Tag("course", courseId));
        while (true)
        {
            var events = store.ReadAsync(query, cancellationToken: cancellationToken);
            var free = 0;
            await foreach (var e in events)
                free += e.Data switch { CourseDefined course => course.Seats, StudentSubscribed => -1, _ => 0 };
            if (free <= 0)
                return false;
            try
            {
                await store.AppendAsync([subscribed], new AppendCondition(query, After: events.Head), cancellationToken);
                return true;
            }
            catch (AppendConditionFailedException)
            {
                // Another append came first: read again, decide again.
            }
        }
    }
}

public sealed class GettingStartedSnippets : DocumentCode
{
    [Fact]
    public async Task Raw_json()
    {
        var Console = new PrintedLines();
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "shop" });
        await store.AppendAsync([NewEvent.FromJson("order-placed", """{ "orderId": "o1", "total": 12.50 }""", new Tag("order", "o1"))]);
        await foreach (var e in store.ReadAsync(Query.FromTags(new Tag("order", "o1"))))
            Console.WriteLine($"{e.Position} {e.Type} {System.Text.Encoding.UTF8.GetString(e.Json.Span)}");

        Assert.Equal(["""1 order-placed {"orderId":"o1","total":12.50}"""], Console.TakeAll());
        Assert.True(File.Exists(Path.Combine("shop", "Events", "0000000000", "0000000001.json")));
    }

    [Fact]
    public async Task Reading()
    {
        var (courseId, studentId, cancellationToken) = ("c1", "s9", TestContext.Current.CancellationToken);
        var Console = new PrintedLines();
        await using var store = OpenStore();
        await store.AppendAsync([new NewEvent(new CourseDefined("c1", 2)), new NewEvent(new StudentSubscribed("c1", "s9"))], cancellationToken: cancellationToken);
        await store.AppendAsync([.. Enumerable.Range(3, 248).Select(number => new NewEvent(new StudentSubscribed("c2", $"s{number}")))], cancellationToken: cancellationToken);

        var query = Query.For<CourseDefined>(Tag.From("course", courseId))
            .Or(Query.For<StudentSubscribed>(Tag.From("course", courseId), Tag.From("student", studentId)));
        await foreach (var e in store.ReadAsync(query, cancellationToken: cancellationToken))
            Console.WriteLine($"{e.Position} {e.Timestamp:u} {e.Type} {string.Join(' ', e.Tags)}");

        // The last event of all.
        await foreach (var e in store.ReadAsync(Query.All, new ReadOptions { Backwards = true, Limit = 1 }))
            Console.WriteLine(e);

        // A page of 100, from the position where the last page ended.
        var page = new ReadOptions { After = 100, Limit = 100 };
        await foreach (var e in store.ReadAsync(Query.For<StudentSubscribed>(), page))
            Console.WriteLine(e);

        // By names, which need no CLR types: a course as it was at position 250.
        var course = Query.FromItems(new QueryItem { Types = ["course-defined", "course-renamed"], Tags = [new Tag("course", "c1")] });
        await foreach (var e in store.ReadAsync(course, new ReadOptions { UpTo = 250 }))
            Console.WriteLine(e);

        var lines = Console.TakeAll();
        Assert.Equal(2 + 1 + 100 + 1, lines.Count);
        Assert.Matches("^1 .* course-defined course:c1$", lines[0]);
        Assert.Matches("^2 .* student-subscribed course:c1 student:s9$", lines[1]);
        Assert.Contains("250", lines[2], StringComparison.Ordinal);
        Assert.Contains("101", lines[3], StringComparison.Ordinal);
        Assert.Contains("course-defined", lines[^1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Metadata_and_ids()
    {
        await using var store = InMemoryEventStore.Open();

        var placed = NewEvent.FromJson("note-taken", """{ "text": "call back" }""");
        var withMetadata = new NewEvent(new CourseDefined("c1", 2), new Tag("campus", "north"))
        {
            Metadata = new Dictionary<string, string> { ["correlationId"] = "4711" },
            Id = Guid.CreateVersion7(),
        };

        Assert.Single(withMetadata.Tags);
        await store.AppendAsync([placed]);
    }

    [Fact]
    public async Task Retry_loop()
    {
        await using var store = OpenStore();
        await store.AppendAsync([new NewEvent(new CourseDefined("c1", 1))]);
        var enrolments = new Enrolments(store);
        var racers = await Task.WhenAll(Enumerable.Range(0, 8).Select(each => enrolments.SubscribeAsync("c1", $"s{each}", TestContext.Current.CancellationToken)));
        Assert.Equal(1, racers.Count(each => each));
    }

    [Fact]
    public void Options()
    {
        var options = new OpossumOptions
        {
            Path = "courses",
            LockTimeout = TimeSpan.FromSeconds(30),
            Advanced = { MaxPayloadBytes = 1024 * 1024 },
        };
        options.EventTypes.AddAssembly(typeof(CourseDefined).Assembly);
        options.EventTypes.Add<Refund>("refund-granted");

        Assert.Equal(5, options.Advanced.RecoveryPatience.TotalSeconds);
    }

    [Fact]
    public async Task The_last_seat_is_taken_once()
    {
        var options = new OpossumOptions();
        options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>();
        await using var store = InMemoryEventStore.Open(options);
        var enrolments = new Enrolments(store);
        await store.AppendAsync([new NewEvent(new CourseDefined("c1", Seats: 1))]);

        var outcomes = await Task.WhenAll(
            enrolments.SubscribeAsync("c1", "s1", CancellationToken.None),
            enrolments.SubscribeAsync("c1", "s2", CancellationToken.None));

        Assert.Single(outcomes, taken => taken);
    }

    [Fact]
    public async Task Upcaster()
    {
        var options = new OpossumOptions();

        options.EventTypes
            .Add<StudentEnrolled>()
            .AddUpcaster("student-enrolled", fromVersion: 1, json =>
            {
                json["language"] = "en";
                return json;
            });

        await using var store = InMemoryEventStore.Open(options);
        await store.AppendAsync([NewEvent.FromJson("student-enrolled", """{ "studentId": "s1", "name": "Ada" }""")]);
        Assert.Equal(new StudentEnrolled("s1", "Ada", "en"), Assert.Single(await store.ReadAsync(Query.All).ToListAsync()).Data);
    }

    [Fact]
    public async Task Tolerant_reading()
    {
        var options = new OpossumOptions();

        options.EventTypes.AddAssembly(typeof(CourseDefined).Assembly).AllowUnknownOrMissingMembers();

        // The assembly has types of higher versions too, which need their upcasters.
        ShopEvents.Register(options.EventTypes).AddUpcaster("student-enrolled", fromVersion: 1, json => json);
        await using var store = InMemoryEventStore.Open(options);
        await store.AppendAsync([NewEvent.FromJson("course-defined", """{ "courseId": "c1", "places": 4 }""")]);
        Assert.Equal(new CourseDefined("c1", 0), (await store.ReadLastAsync(Query.All))!.Data);
    }

    [Fact]
    public async Task Source_generated()
    {
        var options = new OpossumOptions();

        options.EventTypes
            .Add(EventsJson.Default.CourseDefined)
            .Add(EventsJson.Default.StudentSubscribed);

        await using var store = InMemoryEventStore.Open(options);
        await store.AppendAsync([new NewEvent(new CourseDefined("c1", 2))]);
        Assert.Equal("""{"courseId":"c1","seats":2}""", System.Text.Encoding.UTF8.GetString(Assert.Single(await store.ReadAsync(Query.All).ToListAsync()).Json.Span));
    }

    [Fact]
    public async Task Collections_give_a_tag_for_each_element()
    {
        await using var store = OpenStore();
        await store.AppendAsync([new NewEvent(new OrderPlaced("o1", ["a1", "a2"], 12.5m))]);
        Assert.Equal("order:o1 article:a1 article:a2", string.Join(' ', Assert.Single(await store.ReadAsync(Query.FromTags(Tag.Parse("article:a2"))).ToListAsync()).Tags));
    }

    private static FileSystemEventStore OpenStore()
    {
        var options = new OpossumOptions();
        options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>().Add<OrderPlaced>();
        return InMemoryEventStore.Open(options);
    }

    public sealed record Refund(string OrderId);
}
