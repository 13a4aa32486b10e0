using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Opossum.Testing;
using Opossum.Testing.Given;
using Opossum.TestingTests.Examples;

namespace Opossum.TestingTests;

public sealed class ScenarioTests
{
    [Fact]
    public void Values_of_a_type_that_prints_less_than_it_has_differ()
    {
        Assert.NotEqual(StateText.Of(new Money(12.345m, "EUR")), StateText.Of(new Money(12.35m, "USD")));
        Assert.Equal(StateText.Of(new Money(12.30m, "EUR")), StateText.Of(new Money(12.3m, "EUR")));
    }

    [Fact]
    public async Task A_decision_appends_what_is_expected()
    {
        await Scenario.Of(EventTypes.All)
            .Given(new CourseDefined("c1", 1))
            .When(FreeSeats("c1"), Subscribe("ada"))
            .ThenAsync(new StudentSubscribed("c1", "ada"));
        await Scenario.Of(EventTypes.All)
            .Given(new CourseDefined("c1", 1), new StudentSubscribed("c1", "ada"))
            .GivenOutside(new CourseDefined("c2", 1))
            .When(FreeSeats("c1"), Subscribe("ben"))
            .ThenNothingAsync();

        var state = Scenario.Of(EventTypes.All).Given(new CourseDefined("c1", 7)).When(FreeSeats("c1"), Subscribe("ben")).ThenStateAsync(7);
        Assert.Null(await Record.ExceptionAsync(() => state));
    }

    [Fact]
    public async Task A_failure_has_the_expected_the_actual_and_the_given_events()
    {
        var failure = await FailureOf(Scenario.Of(EventTypes.All)
            .Given(new CourseDefined("c1", 1))
            .When(FreeSeats("c1"), Subscribe("ada"))
            .ThenAsync(new StudentSubscribed("c1", "ben")));

        Assert.Equal("""
            The decision appended other events than expected.
            Expected
              student-subscribed {"course":"c1","student":"ben"} [course:c1, student:ben]
            Actual
              student-subscribed {"course":"c1","student":"ada"} [course:c1, student:ada]
            Given
              1 course-defined {"course":"c1","seats":1} [course:c1]
            """, failure);
    }

    [Fact]
    public async Task A_state_that_differs_is_shown()
    {
        var failure = await FailureOf(Scenario.Of(EventTypes.All)
            .Given(new CourseDefined("c1", 1))
            .When(FreeSeats("c1"), Subscribe("ada"))
            .ThenStateAsync(2));

        Assert.StartsWith("The state is another one.\nExpected\n  2\nActual\n  1\nGiven", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task States_are_compared_by_their_content()
    {
        var list = DecisionProjection.Create<IReadOnlyList<string>>([], new Tag("course", "c1"))
            .On<StudentSubscribed>((students, e) => [.. students, e.Student]);

        await Scenario.Of(EventTypes.All).Given(new StudentSubscribed("c1", "ada")).When(list, _ => []).ThenStateAsync(["ada"]);

        var failure = await FailureOf(
            Scenario.Of(EventTypes.All).Given(new StudentSubscribed("c1", "ada")).When(list, _ => []).ThenStateAsync(["ben"]));
        Assert.Contains("[\"ben\", ]", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Sets_and_dictionaries_are_compared_whatever_their_order()
    {
        var guests = DecisionProjection.Create<(HashSet<string> All, Dictionary<string, int> Seats)>(([], []), new Tag("course", "c1"))
            .On<StudentSubscribed>((known, e) =>
                ([.. known.All, e.Student], new(known.Seats) { [e.Student] = known.Seats.Count }));
        var scenario = Scenario.Of(EventTypes.All).Given(new StudentSubscribed("c1", "ada"), new StudentSubscribed("c1", "ben")).When(guests, _ => []);

        await scenario.ThenStateAsync((["ben", "ada"], new() { ["ben"] = 1, ["ada"] = 0 }));

        Assert.Contains("[\"ada\"]", await FailureOf(scenario.ThenStateAsync((["ada"], new() { ["ben"] = 1, ["ada"] = 0 }))), StringComparison.Ordinal);
        await FailureOf(scenario.ThenStateAsync((["ben", "ada"], new() { ["ben"] = 0, ["ada"] = 1 })));
    }

    [Fact]
    public async Task A_given_event_that_is_not_read_is_reported_with_the_missing_tag()
    {
        var failure = await FailureOf(Scenario.Of(EventTypes.All)
            .Given(new CourseDefined("c2", 1))
            .When(FreeSeats("c1"), Subscribe("ada"))
            .ThenNothingAsync());

        Assert.Contains("does not read the given event 1 course-defined", failure, StringComparison.Ordinal);
        Assert.Contains("the tag course:c1 is missing on the event", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_given_event_that_is_not_read_is_reported_with_the_missing_type()
    {
        var failure = await FailureOf(Scenario.Of(EventTypes.All)
            .Given(new CourseDefined("c1", 1), new CapacityChanged("c1", 1))
            .When(FreeSeats("c1"), Subscribe("ada"))
            .ThenNothingAsync());

        Assert.Contains("the type course-capacity-changed is missing in the query", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_event_given_as_outside_that_is_read_is_reported()
    {
        var failure = await FailureOf(Scenario.Of(EventTypes.All)
            .GivenOutside(new CourseDefined("c1", 1))
            .When(FreeSeats("c1"), Subscribe("ada"))
            .ThenNothingAsync());

        Assert.StartsWith("The decision reads the event 1 course-defined", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Events_outside_are_in_the_store_where_they_were_given()
    {
        var types = new List<string>();
        await Scenario.Of(EventTypes.All)
            .GivenOutside(new CourseDefined("c2", 1))
            .Given(new CourseDefined("c1", 1))
            .GivenOutside(new StudentSubscribed("c3", "ada"))
            .Given(new CapacityChanged("c1", 2))
            .When(async store =>
            {
                await foreach (var e in store.ReadAsync(Query.FromTags(new Tag("course", "c1"))))
                    types.Add($"{e.Position} {e.Type}");
            })
            .ThenNothingAsync();

        Assert.Equal(["2 course-defined", "4 course-capacity-changed"], types);
    }

    [Fact]
    public async Task Events_with_ids_that_the_decision_makes_are_judged_by_a_rule()
    {
        var scenario = Scenario.Of(EventTypes.All).Given(new CourseDefined("c1", 1))
            .When(FreeSeats("c1"), _ => [new NewEvent(new StudentSubscribed("c1", $"{Guid.NewGuid()}"))]);

        await scenario.ThenAsync("one student is subscribed", events => events is [{ Data: StudentSubscribed { Course: "c1" } }]);
        var failure = await FailureOf(scenario.ThenAsync("nobody is subscribed", events => events.Count == 0));

        Assert.StartsWith("The decision appended events that break the rule \"nobody is subscribed\".\nActual\n  student-subscribed", failure,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_method_of_an_app_is_a_decision_too()
    {
        var refused = await Scenario.Of(EventTypes.All)
            .Given(new CourseDefined("c1", 0))
            .When(store => store.ExecuteDecisionAsync(FreeSeats("c1"), _ => throw new InvalidOperationException("full")))
            .ThenThrowsAsync<InvalidOperationException>();

        Assert.Equal("full", refused.Message);
    }

    [Fact]
    public async Task A_decision_that_does_not_throw_or_throws_something_else_is_reported()
    {
        var none = await FailureOf(
            Scenario.Of(EventTypes.All).When(FreeSeats("c1"), _ => []).ThenThrowsAsync<InvalidOperationException>());
        var other = await FailureOf(
            Scenario.Of(EventTypes.All).When(FreeSeats("c1"), _ => throw new ArgumentException("x")).ThenThrowsAsync<TimeoutException>());
        var unexpected = await FailureOf(
            Scenario.Of(EventTypes.All).When(FreeSeats("c1"), _ => throw new ArgumentException("x")).ThenNothingAsync());

        Assert.StartsWith("The decision did not throw.", none, StringComparison.Ordinal);
        Assert.StartsWith("The decision threw another exception.", other, StringComparison.Ordinal);
        Assert.StartsWith("The decision threw System.ArgumentException: x", unexpected, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Time_passes_between_given_events_and_the_decision()
    {
        var scenario = Scenario.Of(EventTypes.All);
        var (closed, start) = (TimeSpan.FromDays(1), scenario.Clock.GetUtcNow());

        await scenario.Given(new AccountRegistered("ada")).After(closed).Given(new AccountClosed("ada")).After(closed)
            .When(Times("ada"), _ => [])
            .ThenStateAsync([start, start + closed]);

        Assert.Equal(start + closed + closed, scenario.Clock.GetUtcNow());
    }

    [Fact]
    public async Task An_impure_decision_projection_is_reported()
    {
        var clock = new TestClock();
        var failure = await FailureOf(Scenario.Of(EventTypes.All, clock)
            .Given(new CourseDefined("c1", 1))
            .When(DecisionProjection.Create(0, new Tag("course", "c1")).On<CourseDefined>((_, _) => clock.GetUtcNow().Year), _ => [])
            .ThenNothingAsync());

        Assert.StartsWith("In the decision, a decision projection is impure", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_projection_has_the_expected_states()
    {
        var scenario = Scenario.Of(EventTypes.All).Given(new CourseDefined("c1", 2), new StudentSubscribed("c1", "ada"));

        await scenario.Project(new CourseOverviews()).ThenAsync("c1", new CourseOverview("c1", 1));
        await scenario.Project(new CourseOverviews()).ThenNoneAsync("c2");

        var failure = await FailureOf(scenario.Project(new CourseOverviews()).ThenAsync("c1", new CourseOverview("c1", 2)));
        Assert.Contains("Expected\n  {\"course\":\"c1\",\"free\":2}\nActual\n  {\"course\":\"c1\",\"free\":1}", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task States_of_a_projection_are_compared_by_their_content()
    {
        var scenario = Scenario.Of(EventTypes.All)
            .Given(new StudentSubscribed("c1", "ada"), new StudentSubscribed("c1", "ben"))
            .Project(new GuestLists());

        await scenario.ThenAsync("c1", new GuestList(["ben", "ada"], new() { ["ben"] = 1, ["ada"] = 0 }, 3, new byte[] { 1, 2 }));

        foreach (var other in new GuestList[]
        {
            new(["ada"], new() { ["ada"] = 0, ["ben"] = 1 }, 3, new byte[] { 1, 2 }),
            new(["ada", "ben"], new() { ["ada"] = 1, ["ben"] = 0 }, 3, new byte[] { 1, 2 }),
            new(["ada", "ben"], new() { ["ada"] = 0, ["ben"] = 1 }, 3.5m, new byte[] { 1, 2 }),
            new(["ada", "ben"], new() { ["ada"] = 0, ["ben"] = 1 }, 3, new byte[] { 1, 3 }),
        })
        {
            await FailureOf(scenario.ThenAsync("c1", other));
        }
        await FailureOf(scenario.ThenNoneAsync("c1"));
    }

    [Fact]
    public async Task A_projection_that_ignores_a_given_event_stops_at_one_or_is_impure_is_reported()
    {
        var clock = new TestClock();
        var ignored = await FailureOf(
            Scenario.Of(EventTypes.All).Given(new CapacityChanged("c1", 2)).Project(new CourseOverviews()).ThenNoneAsync("c1"));
        var stopped = await FailureOf(
            Scenario.Of(EventTypes.All).Given(new StudentSubscribed("c1", "ada")).Project(new CourseOverviews()).ThenNoneAsync("c1"));
        var impure = await FailureOf(Scenario.Of(EventTypes.All, clock).Given(new CourseDefined("c1", 2), new StudentSubscribed("c1", "ada"))
            .Project(new CourseOverviews(clock)).ThenAsync("c1", new CourseOverview("c1", 0)));

        Assert.Contains("the type course-capacity-changed is missing", ignored, StringComparison.Ordinal);
        Assert.StartsWith("The projection course-overviews cannot apply an event.", stopped, StringComparison.Ordinal);
        Assert.StartsWith("The projection course-overviews is impure", impure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_subscriber_handles_all_events_also_its_own()
    {
        var handled = 0;

        await Scenario.Of(EventTypes.All)
            .Given(new CourseDefined("c1", 1))
            .Subscribe(async (store, cancellationToken) =>
            {
                await foreach (var e in store.SubscribeAsync(Query.FromTags(new Tag("course", "c1")), 0, cancellationToken))
                {
                    handled++;
                    if (e.Data is CourseDefined { Seats: > 0 } defined)
                        await store.AppendAsync(new NewEvent(new CourseDefined("c1", defined.Seats - 1)), cancellationToken: cancellationToken);
                }
            })
            .ThenAsync(new CourseDefined("c1", 0));

        Assert.Equal(2, handled);
    }

    [Fact]
    public async Task A_subscriber_that_takes_one_event_of_each_subscription_handles_all()
    {
        var handled = 0;

        await Scenario.Of(EventTypes.All)
            .Given(new CourseDefined("c1", 1), new CourseDefined("c1", 2), new CourseDefined("c1", 3))
            .Subscribe(async (store, cancellationToken) =>
            {
                while (true)
                {
                    await foreach (var e in store.SubscribeAsync(Query.All, handled, cancellationToken))
                    {
                        handled++;
                        break;
                    }
                    // Time in which nothing is subscribed.
                    for (var yields = 0; handled == 1 && yields < 1_000; yields++)
                    {
                        await Task.Yield();
                        cancellationToken.ThrowIfCancellationRequested();
                    }
                }
            })
            .RunAsync();

        Assert.Equal(3, handled);
    }

    [Fact]
    public async Task Given_events_may_be_of_the_store_and_those_of_a_decision_may_not()
    {
        var forgotten = new NewEvent(new PersonForgotten { Subject = "customer:c1", Reason = "r" }, new Tag("customer", "c1"));
        var scenario = Scenario.Of(EventTypes.All).Given(forgotten);
        var known = DecisionProjection.Create(0, new Tag("customer", "c1")).On<PersonForgotten>((count, _) => count + 1);

        await scenario.When(known, _ => []).ThenStateAsync(1);
        await scenario.When(known, _ => [forgotten]).ThenThrowsAsync<ArgumentException>();
        await using var store = InMemoryEventStore.Open();
        await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync(forgotten));
    }

    [Fact]
    public async Task A_subscriber_that_throws_or_ends_is_reported()
    {
        var scenario = Scenario.Of(EventTypes.All).Given(new CourseDefined("c1", 1));

        var threw = await FailureOf(scenario.Subscribe(async (store, cancellationToken) =>
        {
            await foreach (var e in store.SubscribeAsync(Query.All, 0, cancellationToken))
                throw new InvalidOperationException(e.Type);
        }).RunAsync());
        var ended = await FailureOf(scenario.Subscribe((_, _) => Task.CompletedTask).RunAsync());

        Assert.StartsWith("The subscriber threw System.InvalidOperationException: course-defined", threw, StringComparison.Ordinal);
        Assert.StartsWith("The subscriber ended by itself.", ended, StringComparison.Ordinal);
    }

    [JsonDerivedType(typeof(Open), "open")]
    [JsonDerivedType(typeof(Full), "full")]
    internal abstract record Phase
    {
        internal sealed record Open(int Seats) : Phase;

        internal sealed record Full(int Seats) : Phase;
    }

    private sealed class Phases : Projection<Phase>
    {
        public Phases()
            : base("phases") => On<CourseDefined>(e => e.Course, (_, e) => new Phase.Open(e.Seats));
    }

    [Fact]
    public async Task States_of_different_types_differ_whatever_their_content()
    {
        var clock = new TestClock();
        var scenario = Scenario.Of(EventTypes.All, clock).Given(new CourseDefined("c1", 1));
        var phase = DecisionProjection.Create<Phase>(new Phase.Full(0), new Tag("course", "c1")).On<CourseDefined>((_, e) => new Phase.Open(e.Seats));
        var timed = DecisionProjection.Create<Phase>(new Phase.Full(0), new Tag("course", "c1"))
            .On<CourseDefined>((_, e) => clock.GetUtcNow().Year == 2000 ? new Phase.Open(e.Seats) : new Phase.Full(e.Seats));

        await scenario.When(phase, _ => []).ThenStateAsync(new Phase.Open(1));
        await scenario.Project(new Phases()).ThenAsync("c1", new Phase.Open(1));

        Assert.Contains("Full{1", await FailureOf(scenario.When(phase, _ => []).ThenStateAsync(new Phase.Full(1))), StringComparison.Ordinal);
        await FailureOf(scenario.Project(new Phases()).ThenAsync("c1", new Phase.Full(1)));
        Assert.Contains("impure", await FailureOf(scenario.When(timed, _ => []).ThenNothingAsync()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Text_that_looks_like_several_elements_is_one()
    {
        await CheckAsync<string>(["a\", \"b"], ["a", "b"]);
        await CheckAsync(["\\\", \"b"], ["\\", "b"]);
        await CheckAsync<Uri>([new("a, b", UriKind.Relative)], [new("a", UriKind.Relative), new("b", UriKind.Relative)]);
        await CheckAsync<JsonElement>([JsonElement.Parse("\"1, 2\"")], [JsonElement.Parse("1"), JsonElement.Parse("2")]);
        await CheckAsync<JsonNode>([JsonValue.Create("1")], [JsonValue.Create(1)]);

        static async Task CheckAsync<T>(T[] state, T[] other)
        {
            var list = DecisionProjection.Create<T[]>([], new Tag("course", "c1")).On<CourseDefined>((_, _) => state);
            var scenario = Scenario.Of(EventTypes.All).Given(new CourseDefined("c1", 1)).When(list, _ => []);

            await scenario.ThenStateAsync([.. state]);
            await FailureOf(scenario.ThenStateAsync(other));
        }
    }

    private static async Task<string> FailureOf(Task scenario) => (await Assert.ThrowsAsync<TestFailedException>(() => scenario)).Message;

    private static Func<int, IReadOnlyList<NewEvent>> Subscribe(string student) =>
        free => free > 0 ? [new NewEvent(new StudentSubscribed("c1", student))] : [];

    private static DecisionProjection<int> FreeSeats(string course) => DecisionProjection.Create(0, new Tag("course", course))
        .On<CourseDefined>((_, e) => e.Seats)
        .On<StudentSubscribed>((free, _) => free - 1);

    private static DecisionProjection<DateTimeOffset[]> Times(string username) =>
        DecisionProjection.Create<DateTimeOffset[]>([], new Tag("username", username))
            .On<AccountRegistered>((times, _, e) => [.. times, e.Timestamp])
            .On<AccountClosed>((times, _, e) => [.. times, e.Timestamp]);

    private sealed record GuestList(HashSet<string> Guests, Dictionary<string, int> Seats, decimal Paid, ReadOnlyMemory<byte> Code);

    private sealed class GuestLists : Projection<GuestList>
    {
        public GuestLists()
            : base("guest-lists") => On<StudentSubscribed>(static e => e.Course, static (list, e) => new GuestList(
                [.. list?.Guests ?? [], e.Student],
                new(list?.Seats ?? []) { [e.Student] = list?.Seats.Count ?? 0 },
                (list?.Paid ?? 0) + 1.50m,
                new byte[] { 1, 2 }));
    }

    private readonly record struct Money(decimal Amount, string Currency) : IFormattable
    {
        public string ToString(string? format, IFormatProvider? formatProvider) => Amount.ToString("0.00", formatProvider);
    }
}
