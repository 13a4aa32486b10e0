using Opossum;

var options = new OpossumOptions { Path = "courses" };
options.EventTypes.Add<CourseDefined>().Add<StudentSubscribed>();
await using var store = await FileSystemEventStore.OpenAsync(options);

// The facts that the decisions depend on: they are read from the events with this tag.
var seats = DecisionProjection.Create<int?>(null, new Tag("course", "c1")).On<CourseDefined>((_, e) => e.Seats);
var taken = DecisionProjection.Create(0, new Tag("course", "c1")).On<StudentSubscribed>((count, _) => count + 1);

// Each call reads, decides and appends, and decides again when another process came first.
await store.ExecuteDecisionAsync(seats, defined => defined is null ? [new NewEvent(new CourseDefined("c1", Seats: 2))] : []);
var result = await store.ExecuteDecisionAsync(
    DecisionProjection.Combine(seats, taken),
    facts => facts.Item2 < facts.Item1 ? [new NewEvent(new StudentSubscribed("c1", $"student-{facts.Item2 + 1}"))] : []);
Console.WriteLine(result.Appended is { } appended ? $"Subscribed by event {appended.LastPosition}." : "The course is full.");

await foreach (var e in store.ReadAsync(Query.All))
    Console.WriteLine($"{e.Position} {e.Data}");

// An event type has a stable name. Tags say what an event is about.
[EventType("course-defined")]
public record CourseDefined([property: Tag("course")] string CourseId, int Seats);

[EventType("student-subscribed")]
public record StudentSubscribed([property: Tag("course")] string CourseId, [property: Tag("student")] string StudentId);
