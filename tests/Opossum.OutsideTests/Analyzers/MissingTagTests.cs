using Opossum.Analyzers;

namespace Opossum.AnalyzerTests;

public sealed class MissingTagTests
{
    private const string Events = """

        [EventType("seat-taken")]
        public record SeatTaken(string CourseId, [property: Tag("student")] string StudentId);
        """;

    [Fact]
    public Task A_handler_or_a_query_asks_for_a_tag_that_the_class_does_not_have() => RuleTest.FindsAsync<MissingTagAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            static DecisionProjection<int> Taken(string course) =>
                {|OPSM0005:DecisionProjection.Create(0, new Tag("course", course)).On<SeatTaken>((taken, _) => taken + 1)|}.LastEventOnly();

            static Query Of(string course, string student) =>
                {|OPSM0005:Query.For<SeatTaken>(Tag.From("student", student), Tag.From("course", course))|};

            public Task TakeAsync(string course, string student) => store.AppendAsync(new NewEvent(new SeatTaken(course, student)));
        }
        """ + Events);

    [Fact]
    public Task A_tag_rule_may_give_the_tag() => RuleTest.FindsAsync<MissingTagAnalyzer>(
        """
        class C
        {
            TagRule rule = new("seat-taken", "studentId", "student");
            void M(string student)
            {
                Query.For<SeatTaken>(new Tag("student", student));
                {|OPSM0005:Query.For<SeatTaken>(new Tag("course", student))|};
            }
            NewEvent Make() => new(new SeatTaken("s1"));
        }

        [EventType("seat-taken")]
        record SeatTaken(string StudentId);
        """);

    [Fact]
    public Task A_tag_may_be_given_with_the_event() => RuleTest.FindsAsync<MissingTagAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            static Query Of(string course) => Query.For<SeatTaken>(new Tag("course", course));

            public Task TakeAsync(string course, string student) =>
                store.AppendAsync(new NewEvent(new SeatTaken(course, student), new Tag("course", course)));
        }
        """ + Events);

    [Fact]
    public Task Any_object_may_be_given_a_tag() => RuleTest.FindsAsync<MissingTagAnalyzer>(
        """
        class Desk(IEventStore store)
        {
            static Query Of(string course) => Query.For<SeatTaken>(new Tag("course", course));

            public Task TakeAsync(string course, string student) => AppendAsync(new SeatTaken(course, student), [new Tag("course", course)]);

            private Task AppendAsync(object data, Tag[] tags) => store.AppendAsync(new NewEvent(data, tags));
        }
        """ + Events);

    // Another project may append them, with tags.
    [Fact]
    public Task What_is_not_made_here_is_not_judged() => RuleTest.FindsAsync<MissingTagAnalyzer>(
        """
        class Desk
        {
            static Query Of(string course) => Query.For<SeatTaken>(new Tag("course", course));
        }
        """ + Events);

    [Fact]
    public Task A_tag_may_be_inherited_and_a_key_may_be_unknown() => RuleTest.FindsAsync<MissingTagAnalyzer>(
        """
        interface IOfCourse
        {
            [Tag("course")]
            string CourseId { get; }
        }

        abstract record OfTeacher([property: Tag("teacher")] string TeacherId);

        [EventType("course-moved")]
        record CourseMoved(string CourseId, string TeacherId) : OfTeacher(TeacherId), IOfCourse;

        class Desk(IEventStore store)
        {
            static DecisionProjection<int> Moves(string key) => DecisionProjection.Create(0, new Tag("course", "c1"), new Tag("teacher", "t1"),
                new Tag(key, "x")).On<CourseMoved>((moves, _) => moves + 1);

            static DecisionProjection<int> AllMoves(Tag[] tags) => DecisionProjection.Create(0, tags).On<CourseMoved>((moves, _) => moves + 1);

            public Task MoveAsync() => store.AppendAsync(new NewEvent(new CourseMoved("c1", "t1")));
        }
        """);
}
