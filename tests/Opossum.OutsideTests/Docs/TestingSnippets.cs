using Opossum.Testing;
using static Opossum.DocTests.DecisionModelsSnippets;

namespace Opossum.DocTests;

public sealed record FreeSeatsOfCourse(string CourseId, int Free);

public sealed class FreeSeatsOfCourses : Projection<FreeSeatsOfCourse>
{
    public FreeSeatsOfCourses()
        : base("free-seats")
    {
        On<CourseDefined>(e => e.CourseId, (_, e) => new FreeSeatsOfCourse(e.CourseId, e.Seats));
        On<StudentSubscribed>(e => e.CourseId, (course, e) => new FreeSeatsOfCourse(e.CourseId, (course?.Free ?? 0) - 1));
    }
}

public sealed class TestingSnippets : DocumentCode
{
    private static readonly EventTypeRegistry types = new EventTypeRegistry()
        .Add<CourseDefined>().Add<StudentSubscribed>().Add<StudentWelcomed>();

    [Fact]
    public async Task Decisions()
    {
        await Scenario.Of(types)
            .Given(new CourseDefined("c1", Seats: 1))
            .When(FreeSeats("c1"), free => free > 0 ? [new NewEvent(new StudentSubscribed("c1", "s1"))] : [])
            .ThenAsync(new StudentSubscribed("c1", "s1"));

        await Scenario.Of(types)
            .Given(new CourseDefined("c1", Seats: 1), new StudentSubscribed("c1", "s1"))
            .When(store => new Courses(store).SubscribeAsync("c1", "s2"))
            .ThenThrowsAsync<CourseFullException>();

        var wrong = Scenario.Of(types).When(store => new Courses(store).SubscribeAsync("c1", "s2")).ThenNothingAsync();
        await Assert.ThrowsAsync<TestFailedException>(() => wrong);
    }

    [Fact]
    public async Task Projections_and_subscriptions()
    {
        await Scenario.Of(types)
            .Given(new CourseDefined("c1", Seats: 2), new StudentSubscribed("c1", "s1"))
            .Project(new FreeSeatsOfCourses())
            .ThenAsync("c1", new FreeSeatsOfCourse("c1", 1));

        var mails = new List<string>();

        await Scenario.Of(types)
            .Given(new StudentSubscribed("c1", "s1"))
            .Subscribe((store, cancellationToken) => SendMailsAsync(store, mails.Add, cancellationToken))
            .RunAsync();

        Assert.Equal(["Welcome to c1, s1!"], mails);
    }

    [Fact]
    public async Task Reactions()
    {
        var types = new EventTypeRegistry().Add<StudentSubscribed>().Add<StudentWelcomed>();

        var welcoming = Scenario.Of(types)
            .React((_, calls) => new Welcoming(new RecordedMails(calls)))
            .When(new StudentSubscribed("c1", "s1"));

        await welcoming.ThenCallsAsync("Welcome to c1, s1!");
        await welcoming.ThenAsync(new StudentWelcomed("c1", "s1"));

        var report = await welcoming
            .Always("the student is welcomed once", outcome => outcome.Appended.Count(e => e.Data is StudentWelcomed) == 1)
            .Always("every call has the same key", outcome => outcome.Calls.Select(call => call.IdempotencyKey).Distinct().Count() <= 1)
            .ThenCrashesAsync();

        Assert.Equal(2 * report.Steps, report.Crashes);
    }

    [Fact]
    public async Task Races()
    {
        var report = await Race.Explore(
                new RaceDecision("Ada subscribes", store => new Courses(store).SubscribeAsync("c1", "ada")),
                new RaceDecision("Ben subscribes", store => new Courses(store).SubscribeAsync("c1", "ben")))
            .With(types)
            .Given(new CourseDefined("c1", Seats: 1))
            .Always("the course is not overbooked", events => events.Count(e => e.Data is StudentSubscribed) <= 1)
            .RunAsync();

        Assert.True(report.IsExhaustive);

        var mailing = Race.Explore(
                new RaceDecision("Ada subscribes", (store, effects) => new Courses(store, effects.Record).SubscribeAsync("c1", "ada")),
                new RaceDecision("Ben subscribes", (store, effects) => new Courses(store, effects.Record).SubscribeAsync("c1", "ben")))
            .With(types)
            .Given(new CourseDefined("c1", Seats: 9))
            .Always("the course is not overbooked", events => events.Count(e => e.Data is StudentSubscribed) <= 9);

        var failure = await Assert.ThrowsAsync<TestFailedException>(() => mailing.RunAsync());
        Assert.StartsWith("A side effect of \"Ada subscribes\"", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_report_of_a_race_says_which_rule_is_broken_after_which_event()
    {
        static async Task SubscribeAsync(IEventStore store, string student)
        {
            var course = Query.FromTags(new Tag("course", "c1"));
            var events = await store.ReadAsync(course).ToListAsync();
            // The fault that the race finds.
#pragma warning disable OPSM0007
            if (events.Count == 1)
                await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", student)), new AppendCondition(course, await store.GetHeadAsync()));
#pragma warning restore OPSM0007
        }

        var failure = await Assert.ThrowsAsync<TestFailedException>(() => Race.Explore(
                new RaceDecision("Ada subscribes", store => SubscribeAsync(store, "ada")),
                new RaceDecision("Ben subscribes", store => SubscribeAsync(store, "ben")))
            .With(types)
            .Given(new CourseDefined("c1", Seats: 1))
            .Always("the course is not overbooked", events => events.Count(e => e.Data is StudentSubscribed) <= 1)
            .RunAsync());

        Assert.StartsWith("The rule \"the course is not overbooked\" is broken after event 3.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Waiting()
    {
        var clock = new TestClock();

        clock.Advance(TimeSpan.FromDays(3));
        clock.MoveTo(new DateTimeOffset(2000, 2, 1, 0, 0, 0, TimeSpan.Zero));

        await using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types, TimeProvider = clock });

        await using var running = store.StartProjections([new FreeSeatsOfCourses()]);
        await store.AppendAsync(new NewEvent(new CourseDefined("c1", Seats: 2)));

        await store.WaitForAllAsync();

        var course = await store.Projections.Get<FreeSeatsOfCourse>().GetAsync("c1");

        Assert.Equal(2, course!.Free);
        Assert.Equal(clock.GetUtcNow(), (await store.ReadLastAsync(Query.All))!.Timestamp);
    }

    [Fact]
    public async Task Faults()
    {
        var disk = new TestDisk();
        await using var store = disk.Open(new OpossumOptions { EventTypes = types });

        disk.FillUp();
        await Assert.ThrowsAsync<StoreIOException>(() => store.AppendAsync(new NewEvent(new CourseDefined("c1", Seats: 1))));
        disk.MakeSpace();

        using (disk.HoldLock())
            await Assert.ThrowsAsync<StoreLockTimeoutException>(() => store.AppendAsync(new NewEvent(new CourseDefined("c1", Seats: 1))));
    }

    private static async Task SendMailsAsync(IEventStore store, Action<string> send, CancellationToken cancellationToken)
    {
        await foreach (var e in store.SubscribeAsync(Query.For<StudentSubscribed>(), 0, cancellationToken))
        {
            if (e.Data is StudentSubscribed subscribed)
                send($"Welcome to {subscribed.CourseId}, {subscribed.StudentId}!");
        }
    }

    public interface IMails
    {
        Task SendAsync(string text, string idempotencyKey, CancellationToken cancellationToken);
    }

    [EventType("student-welcomed")]
    private sealed record StudentWelcomed([property: Tag("course")] string CourseId, [property: Tag("student")] string StudentId);

    public sealed class Welcoming : Reaction
    {
        public Welcoming(IMails mails)
            : base("welcoming")
        {
            StartFrom(ReactionStart.Head);
            On<StudentSubscribed>(async (e, context, cancellationToken) =>
            {
                await mails.SendAsync($"Welcome to {e.CourseId}, {e.StudentId}!", context.IdempotencyKey, cancellationToken);
                await context.AppendAsync(new NewEvent(new StudentWelcomed(e.CourseId, e.StudentId)), cancellationToken: cancellationToken);
            });
        }
    }

    private sealed class RecordedMails(ReactionCalls calls) : IMails
    {
        public Task SendAsync(string text, string idempotencyKey, CancellationToken cancellationToken)
        {
            calls.Record(text, idempotencyKey);
            return Task.CompletedTask;
        }
    }

    private sealed class CourseFullException() : Exception("The course is fully booked.");

    private sealed class Courses(IEventStore store, Action<string>? mail = null)
    {
        public Task<DecisionResult<int>> SubscribeAsync(string course, string student) => store.ExecuteDecisionAsync(FreeSeats(course), free =>
        {
            if (free <= 0)
                throw new CourseFullException();
            mail?.Invoke($"{student} is in");
            return [new NewEvent(new StudentSubscribed(course, student))];
        });
    }
}
