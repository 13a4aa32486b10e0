using Opossum.Testing;
using static Opossum.TestingTests.Examples.Cases;

namespace Opossum.TestingTests.Examples;

/// <summary>https://dcb.events/examples/course-subscriptions: a course has a number of seats, and a student takes at most two courses.</summary>
internal static class Courses
{
    private const int CoursesMax = 2;

    public static IEnumerable<RaceCase> Right =>
    [
        .. InEveryRightWay("two students, one seat", OneSeat, Subscribe("c1", "ada"), Subscribe("c1", "ben")),
        .. InEveryRightWay("one student, two courses", OneCourseLeft, Subscribe("c1", "ada"), Subscribe("c2", "ada")),
    ];

    public static IEnumerable<RaceCase> Mistakes =>
    [
        Of("the tag course is left off the event", OneSeat, EachStudent(student => Untagged("c1", student).ExecuteAsync)),
        Of("the tag student is left off the event", OneCourseLeft,
            new Decider<(int, int)>(Facts("c1", "ada"), Decide("c1", "ada", "student")).ExecuteAsync,
            new Decider<(int, int)>(Facts("c2", "ada"), Decide("c2", "ada", "student")).ExecuteAsync),
        Of("the condition lacks the tag course", OneSeat,
            EachStudent(student => store => Subscribe("c1", student).WithConditionAsync(store, Query.FromTags(new Tag("student", student))))),
        Of("the type course-capacity-changed is missing", TwoSeats,
            new Decider<int>(FreeSeatsButForChanges("c1"), free => free > 0 ? [new NewEvent(new StudentSubscribed("c1", "ada"))] : []).ExecuteAsync,
            store => store.AppendAsync(new NewEvent(new CapacityChanged("c1", 0)))),
        Of("After is read later", OneSeat, EachStudent(student => Subscribe("c1", student).HeadReadLaterAsync)),
        Of("a mail is sent by the decision", OneSeat,
            [Subscribe("c1", "ada").MailInTheDecisionAsync, Subscribe("c1", "ben").MailInTheDecisionAsync]),
        Of("the state is a list that handlers change", OneSeat, EachStudent(student => new Decider<List<string>>(
            DecisionProjection.Create(new List<string>(), new Tag("course", "c1")).On<StudentSubscribed>((list, e) =>
            {
                list.Add(e.Student);
                return list;
            }),
            list => list.Count < 2 ? [new NewEvent(new StudentSubscribed("c1", student))] : []).ExecuteAsync)),
    ];

    private static RaceTest OneSeat(RaceTest race) => Rules(race.Given(new CourseDefined("c1", 2), new StudentSubscribed("c1", "cleo")));

    private static RaceTest TwoSeats(RaceTest race) => Rules(race.Given(new CourseDefined("c1", 2)));

    private static RaceTest OneCourseLeft(RaceTest race) => Rules(race
        .Given(new CourseDefined("c1", 9), new CourseDefined("c2", 9), new CourseDefined("c3", 9), new StudentSubscribed("c3", "ada")));

    private static RaceTest Rules(RaceTest race) => race
        .Always("no course is overbooked", IsNeverOverbooked)
        .Always("no student takes too many courses",
            events => events.Of<StudentSubscribed>().CountBy(e => e.Student).All(e => e.Value <= CoursesMax));

    private static bool IsNeverOverbooked(IReadOnlyList<SequencedEvent> events)
    {
        var free = new Dictionary<string, int>();
        foreach (var data in events.Select(e => e.Data))
        {
            switch (data)
            {
                case CourseDefined defined:
                    free[defined.Course] = defined.Seats;
                    break;
                case CapacityChanged changed:
                    free[changed.Course] = changed.Seats - events.Of<StudentSubscribed>().Count(e => e.Course == changed.Course);
                    break;
                case StudentSubscribed subscribed when --free[subscribed.Course] < 0:
                    return false;
            }
        }
        return true;
    }

    private static IEnumerable<Func<IEventStore, Task>> EachStudent(Func<string, Func<IEventStore, Task>> run) => [run("ada"), run("ben")];

    private static Decider<(int, int)> Subscribe(string course, string student) => new(Facts(course, student), Decide(course, student));

    private static Decider<(int, int)> Untagged(string course, string student) => new(Facts(course, student), Decide(course, student, "course"));

    private static Func<(int Free, int Courses), IReadOnlyList<NewEvent>> Decide(string course, string student, string? withoutTag = null) =>
        facts => facts is { Free: > 0, Courses: < CoursesMax }
            ? [withoutTag is null
                ? new NewEvent(new StudentSubscribed(course, student))
                : Without(withoutTag, new StudentSubscribed(course, student))]
            : [];

    private static DecisionProjection<(int, int)> Facts(string course, string student) => DecisionProjection.Combine(
        DecisionProjection.Create(0, new Tag("course", course))
            .On<CourseDefined>((_, e) => e.Seats)
            .On<CapacityChanged>((_, e) => e.Seats)
            .On<StudentSubscribed>((free, _) => free - 1),
        DecisionProjection.Create(0, new Tag("student", student)).On<StudentSubscribed>((count, _) => count + 1));

    private static DecisionProjection<int> FreeSeatsButForChanges(string course) =>
        DecisionProjection.Create(0, new Tag("course", course))
            .On<CourseDefined>((_, e) => e.Seats)
            .On<StudentSubscribed>((free, _) => free - 1);
}
