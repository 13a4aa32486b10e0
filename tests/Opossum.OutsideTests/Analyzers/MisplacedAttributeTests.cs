using Opossum.Analyzers;
using Opossum.CodeFixes;

namespace Opossum.AnalyzerTests;

public sealed class MisplacedAttributeTests
{
    [Fact]
    public Task A_tag_of_a_class_is_taken_away() => RuleTest.MendsAsync<MisplacedAttributeAnalyzer, MisplacedAttributeFix>(
        """
        [EventType("course-moved")]
        public record CourseMoved([property: Tag("course")] string CourseId)
        {
            [{|OPSM0006:Tag("room")|}]
            public static string Room => "r1";
        }
        """,
        """
        [EventType("course-moved")]
        public record CourseMoved([property: Tag("course")] string CourseId)
        {
            public static string Room => "r1";
        }
        """);

    [Fact]
    public Task All_attributes_are_taken_away_at_once() => RuleTest.MendsAllAsync<MisplacedAttributeAnalyzer, MisplacedAttributeFix>(
        """
        [EventType("course-moved")]
        public record CourseMoved([property: Tag("course")] string CourseId)
        {
            [{|OPSM0006:Tag("room")|}]
            public static string? Room => "r1";

            [{|OPSM0006:Personal("course")|}]
            public static string? Floor => "f1";
        }
        """,
        """
        [EventType("course-moved")]
        public record CourseMoved([property: Tag("course")] string CourseId)
        {
            public static string? Room => "r1";

            public static string? Floor => "f1";
        }
        """);

    [Fact]
    public Task A_comment_above_the_attribute_stays() => RuleTest.MendsAsync<MisplacedAttributeAnalyzer, MisplacedAttributeFix>(
        """
        [EventType("course-moved")]
        public record CourseMoved([property: Tag("course")] string CourseId)
        {
            /// <summary>Where it is.</summary>
            [{|OPSM0006:Tag("room")|}]
            public static string Room => "r1";
        }
        """,
        """
        [EventType("course-moved")]
        public record CourseMoved([property: Tag("course")] string CourseId)
        {
            /// <summary>Where it is.</summary>
            public static string Room => "r1";
        }
        """);

    [Fact]
    public Task An_attribute_for_what_is_not_stored_is_taken_away() => RuleTest.MendsAsync<MisplacedAttributeAnalyzer, MisplacedAttributeFix>(
        """
        [EventType("customer-registered")]
        public record CustomerRegistered([property: Tag("customer")] string CustomerId)
        {
            [System.Text.Json.Serialization.JsonIgnore, {|OPSM0006:Personal("customer")|}]
            public string? Shown => CustomerId;
        }
        """,
        """
        [EventType("customer-registered")]
        public record CustomerRegistered([property: Tag("customer")] string CustomerId)
        {
            [System.Text.Json.Serialization.JsonIgnore]
            public string? Shown => CustomerId;
        }
        """);

    [Theory]
    [InlineData("[property: {|OPSM0006:Personal(\"customer\")|}] string Email", "[property: Personal(\"customer\")] string? Email")]
    [InlineData("[property: {|OPSM0006:Personal(\"customer\")|}] int Age = 0", "[property: Personal(\"customer\")] int? Age = 0")]
    public Task A_personal_member_that_is_never_null_is_made_nullable(string member, string mended) =>
        RuleTest.MendsAsync<MisplacedAttributeAnalyzer, MisplacedAttributeFix>(Registered(member), Registered(mended));

    [Fact]
    public Task A_property_that_is_never_null_is_made_nullable() => RuleTest.MendsAsync<MisplacedAttributeAnalyzer, MisplacedAttributeFix>(
        """
        [EventType("customer-registered")]
        public record CustomerRegistered([property: Tag("customer")] string CustomerId)
        {
            [{|OPSM0006:Personal("customer")|}]
            public string Email { get; init; } = "";
        }
        """,
        """
        [EventType("customer-registered")]
        public record CustomerRegistered([property: Tag("customer")] string CustomerId)
        {
            [Personal("customer")]
            public string? Email { get; init; } = "";
        }
        """);

    [Theory]
    [InlineData("[property: Tag(\"email\"), {|OPSM0006:Personal(\"customer\")|}] string? Email")]
    [InlineData("[property: {|OPSM0006:Personal(\"customer\", SubjectProperty = \"Partner\")|}] string? Phone")]
    public Task A_personal_member_that_is_stored_does_not_lose_its_encryption(string member) =>
        RuleTest.LeavesAsync<MisplacedAttributeAnalyzer, MisplacedAttributeFix>(Registered(member));

    [Fact]
    public Task A_personal_member_can_be_neither_a_tag_nor_for_ever_there() => RuleTest.FindsAsync<MisplacedAttributeAnalyzer>(
        """
        [EventType("customer-registered")]
        public sealed record CustomerRegistered(
            [property: Tag("customer")] string CustomerId,
            [property: Tag("email"), {|OPSM0006:Personal("customer")|}] string? Email,
            [property: {|OPSM0006:Personal("customer")|}] string Name,
            [property: {|OPSM0006:Personal("customer")|}] int Age,
            [property: {|OPSM0006:Personal("customer", SubjectProperty = "Partner")|}] string? Phone)
        {
            [{|OPSM0006:Personal("customer")|}]
            public static string? Country => null;

            [{|OPSM0006:Personal("customer")|}, System.Text.Json.Serialization.JsonIgnore]
            public string? Shown => Name;
        }
        """);

    [Fact]
    public Task A_personal_member_may_be_null_a_placeholder_or_a_pseudonym() => RuleTest.FindsAsync<MisplacedAttributeAnalyzer>(
        """
        [EventType("customer-registered")]
        public record CustomerRegistered(
            [property: Tag("customer")] string CustomerId,
            [property: Tag("email", IsPseudonym = true), Personal("customer")] string? Email,
            [property: Personal("customer", Placeholder = "(forgotten)")] string Name,
            [property: Personal("customer")] int? Age,
            [property: Personal("customer", SubjectProperty = "CustomerId")] string? Phone);
        """);

    [Fact]
    public Task A_class_in_a_member_declares_no_tags() => RuleTest.FindsAsync<MisplacedAttributeAnalyzer>(
        """
        [EventType("order-placed")]
        public record OrderPlaced([property: Tag("order")] string OrderId, IReadOnlyList<Line> Lines, Address? To);

        public record Line([property: {|OPSM0006:Tag("article")|}] string Article);

        public record Address([property: {|OPSM0006:Tag("city")|}] string City);
        """);

    [Fact]
    public Task A_class_may_be_a_member_and_an_event_a_base_or_a_state() => RuleTest.FindsAsync<MisplacedAttributeAnalyzer>(
        """
        [EventType("order-placed")]
        public record OrderPlaced([property: Tag("order")] string OrderId, Line Line, Moved Moved, Base Base, State State) : Base("b1");

        public record Line([property: Tag("article")] string Article);

        public record Moved([property: Tag("city")] string City);

        public record Base([property: Tag("base")] string Id);

        public record State([property: Tag("state")] string Id);

        class States() : Projection<State>("states");

        class Desk(IEventStore store)
        {
            public void Register(OpossumOptions options) => options.EventTypes.Add<Line>("line");

            public Task MoveAsync(Moved moved) => store.AppendAsync(new NewEvent(moved));
        }
        """);

    private static string Registered(string member) => $$"""
        [EventType("customer-registered")]
        public sealed record CustomerRegistered([property: Tag("customer")] string CustomerId, {{member}});
        """;
}
