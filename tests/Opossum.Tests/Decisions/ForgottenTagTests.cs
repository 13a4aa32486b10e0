using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Scenario = Opossum.Testing.Scenario;

namespace Opossum.Tests.Decisions;

/// <summary>A decision appends an event that it reads by a tag which the event does not have.</summary>
public sealed class ForgottenTagTests : IDisposable
{
    private static readonly Tag course = new("course", "c1");
    private static readonly Tag student = new("student", "s9");

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);
    private readonly Logs log = new();

    private IEnumerable<string> Messages => log.Lines.Where(static line => line.Id == 45).Select(static line => line.Text);

    [Fact]
    public async Task The_log_names_the_event_and_what_the_decision_reads_once_for_a_type()
    {
        var store = place.Open(options => options.LoggerFactory = log);
        var forgotten = Taken(student);
        await store.ExecuteDecisionAsync(SeatsTaken(), _ => [forgotten]);
        await store.ExecuteDecisionAsync(SeatsTaken(), _ => [Taken(student)]);

        var message = Assert.Single(Messages);
        Assert.Contains($"appends the event {forgotten.Id} of the type seat-taken to {place.Root}", message, StringComparison.Ordinal);
        Assert.Contains("(seat-taken with course:c1)", message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_event_that_is_read_by_another_part_of_the_decision_alone_is_named_too()
    {
        var store = place.Open(options => options.LoggerFactory = log);
        var both = DecisionProjection.Combine(SeatsTaken(), DecisionProjection.Create(0, student).On("seat-taken", static (count, _) => count + 1));
        await store.ExecuteDecisionAsync(both, _ => [Taken(student)]);

        Assert.Contains("(seat-taken with course:c1)", Assert.Single(Messages), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Nothing_is_logged_for_events_that_are_read_that_are_of_other_types_or_of_one_of_several_like_parts()
    {
        var store = place.Open(options => options.LoggerFactory = log);
        await store.ExecuteDecisionAsync(SeatsTaken(), _ => [Taken(course, student), Events.New("mail-wanted", "student:s9")]);
        var several = DecisionProjection.Combine(new[] { "c1", "c2" }.Select(static id =>
            DecisionProjection.Create(0, new Tag("course", id)).On("seat-taken", static (count, _) => count + 1)));
        await store.ExecuteDecisionAsync(several, _ => [Taken(course)]);
        await store.AppendAsync([Taken(student)], new AppendCondition(Query.FromItems(new QueryItem { Types = ["seat-taken"], Tags = [course] }), After: 3));

        Assert.Empty(Messages);
    }

    [Fact]
    public async Task A_scenario_fails_unless_it_is_allowed()
    {
        var scenario = Scenario.Of(new EventTypeRegistry()).When(SeatsTaken(), _ => [Taken(student)]);
        var failure = await Assert.ThrowsAsync<TestFailedException>(() => scenario.ThenAsync(Taken(student)));
        Assert.StartsWith("The decision appends seat-taken {} [student:s9] and reads events of this type by (seat-taken with course:c1): the next "
            + "such decision does not see it.", failure.Message, StringComparison.Ordinal);

        await Scenario.Of(new EventTypeRegistry()).AllowUnreadEvents().When(SeatsTaken(), _ => [Taken(student)]).ThenAsync(Taken(student));
    }

    [Fact]
    public async Task A_race_fails_unless_it_is_allowed()
    {
        RaceTest Racing() => Race.Explore(TakeAsync, TakeAsync).Then("something happened", static events => events.Count > 0);
        var failure = await Assert.ThrowsAsync<TestFailedException>(() => Racing().RunAsync());
        Assert.Contains("appends seat-taken {} [student:s9] and reads events of this type by (seat-taken with course:c1)", failure.Message,
            StringComparison.Ordinal);

        await Racing().AllowUnreadEvents().RunAsync();

        static Task TakeAsync(IEventStore store) => store.ExecuteDecisionAsync(SeatsTaken(), static taken => taken < 1 ? [Taken(student)] : []);
    }

    public void Dispose() => place.Dispose();

    private static SingleDecisionProjection<int> SeatsTaken() =>
        DecisionProjection.Create(0, course).On("seat-taken", static (count, _) => count + 1);

    private static NewEvent Taken(params Tag[] tags) => NewEvent.FromJson("seat-taken", "{}", tags);
}
