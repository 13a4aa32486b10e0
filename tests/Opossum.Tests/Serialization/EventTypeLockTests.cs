using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.FSharp.Core;
using Opossum.Maintenance;

namespace Opossum.Tests.Serialization;

public sealed class EventTypeLockTests
{
    private enum Colour
    {
        Red,
        Green,
    }

    private sealed record Line(string Article, int Count);

    [EventType("order-placed", Version = 3)]
    private sealed record OrderPlaced(
        [property: Tag("order")] string OrderId, decimal Total, Colour Colour, Colour? Wrapping, DateTimeOffset Due, Guid Customer,
        IReadOnlyList<Line> Lines, Dictionary<string, int> Stock, object Other, string? Note = null)
    {
        [Tag("article")]
        [JsonIgnore]
        public IEnumerable<string> Articles => Lines.Select(line => line.Article);
    }

    [Fact]
    public void The_text_has_each_type_with_its_version_tags_and_members()
    {
        var types = new EventTypeRegistry().Add<OrderPlaced>()
            .AddUpcaster("order-placed", 1, json => json).AddUpcaster("order-placed", 2, json => json);

        Assert.Equal(
            """
            {
              "order-placed": {
                "version": 3,
                "tags": [
                  "order",
                  "article"
                ],
                "members": {
                  "orderId": "string",
                  "total": "number",
                  "colour": "'Red' or 'Green'",
                  "wrapping": "'Red' or 'Green' or null, optional",
                  "due": "string date-time",
                  "customer": "string uuid",
                  "lines": "array",
                  "lines[]": "object or null",
                  "lines[].article": "string",
                  "lines[].count": "integer",
                  "stock": "object",
                  "stock{}": "integer",
                  "other": "any",
                  "note": "string or null, optional"
                }
              }
            }

            """,
            EventTypeLock.Create(types), ignoreLineEndingDifferences: true);
        Assert.True(EventTypeLock.Compare(EventTypeLock.Create(types), types).IsUnchanged);
    }

    private sealed record Voyage<TDate, TNumber, TColour, TFare>(TDate? Day, TNumber? Number, TColour? Colour, TFare? Fare, List<TNumber?> Numbers,
        Dictionary<string, TFare?> Fares);

    private readonly record struct Fare(decimal Total, string? Note = null);

    [Fact]
    public void A_value_that_may_be_missing_has_the_form_of_its_type()
    {
        var nullable = EventTypeLock.Create(new EventTypeRegistry().Add<Voyage<DateTime?, long?, Colour?, Fare?>>("voyage"));
        var option = EventTypeLock.Create(new EventTypeRegistry().Add<Voyage<FSharpOption<DateTime>, FSharpOption<long>, FSharpOption<Colour>,
            FSharpOption<Fare>>>("voyage"));

        Assert.Equal(nullable, option);
        Assert.Contains("\"number\": \"integer int64 or null", nullable, StringComparison.Ordinal);
        Assert.Contains("\"fare.note\": \"string or null, optional\"", nullable, StringComparison.Ordinal);
    }

    private sealed record Dotted([property: JsonPropertyName("a.b")] string First, [property: JsonPropertyName("c")] Dotted? Inner);

    [Fact]
    public void The_name_of_a_member_with_a_dot_is_quoted_and_a_class_that_lacks_such_a_member_refuses_it()
    {
        var text = EventTypeLock.Create(new EventTypeRegistry().Add<Dotted>("dotted"));
        var changes = EventTypeLock.Compare(text, new EventTypeRegistry().Add<Undotted>("dotted")).Changes;

        Assert.Contains("""
                  "[\"a.b\"]": "string",
            """, text, StringComparison.Ordinal);
        Assert.Equal(2, changes.Count(each => each.Text.Contains("a.b", StringComparison.Ordinal) && each.BreaksStoredEvents));
    }

    private sealed record Undotted([property: JsonPropertyName("c")] Undotted? Inner, bool IsOther);

    [EventType("folder-made")]
    private sealed record FolderMade(string Name, FolderMade? Inside);

    [Fact]
    public void A_type_that_contains_itself_has_an_end()
    {
        var types = new EventTypeRegistry().Add<FolderMade>();
        var text = EventTypeLock.Create(types);

        Assert.Contains("\"inside.inside\": \"same as inside", text, StringComparison.Ordinal);
        Assert.True(EventTypeLock.Compare(text, types).IsUnchanged);
    }

    [EventType("order-paid")]
    private sealed record OrderPaid([property: Tag("order")] string OrderId, int Amount, string? Note);

    [EventType("guest-came")]
    private sealed record GuestCame([property: Tag("street, city")] string Address, [property: Tag("email", IsPseudonym = true)] string Email);

    [Fact]
    public void A_tag_that_becomes_a_pseudonym_and_a_key_with_a_comma_are_told()
    {
        var types = new EventTypeRegistry().Add<GuestCame>();
        var text = EventTypeLock.Create(types);

        Assert.True(EventTypeLock.Compare(text, types).IsUnchanged);
        Assert.Equal(["guest-came: the tag email was removed: new events do not carry it, so queries and append conditions by it do not find them.",
            "guest-came: the tag email:pseudonym was added: stored events do not carry it, so queries and append conditions by it do not find them."],
            EventTypeLock.Compare(text.Replace(":pseudonym", "", StringComparison.Ordinal), types).Changes.Select(static each => $"{each}"));
    }

    // Each line: what the lock said of the member "amount" of version 1, what of today's class breaks stored events, and what is said.
    [Theory]
    [InlineData("""{ "version": 1, "tags": ["order"], "members": { "orderId": "string", "amount": "integer", "note": "string or null, optional" } }""", false, "")]
    [InlineData("""{ "version": 1, "tags": ["order"], "members": { "orderId": "string", "note": "string or null, optional" } }""", true,
        "order-paid: the member amount (integer) was added. Stored events lack it. Raise the version to 2 and add an upcaster that adds it, "
            + "or make it nullable or give it a default value.")]
    [InlineData("""{ "version": 1, "tags": ["order"], "members": { "orderId": "string", "amount": "integer" } }""", false,
        "order-paid: the member note (string or null, optional) was added.")]
    [InlineData("""{ "version": 1, "tags": ["order"], "members": { "orderId": "string", "amount": "number", "note": "string or null, optional" } }""", true,
        "order-paid: the member amount was number and is integer. Stored events may hold what the class does not read now. Raise the version to 2 "
            + "and add an upcaster that converts it.")]
    [InlineData("""{ "version": 1, "tags": ["order"], "members": { "orderId": "string uuid", "amount": "integer", "note": "string" } }""", false,
        "order-paid: the member orderId was string uuid and is string.|order-paid: the member note was string and is string or null, optional.")]
    [InlineData("""{ "version": 1, "tags": ["order"], "members": { "orderId": "string", "amount": "integer", "note": "string or null, optional", "tip": "object", "tip.of": "string" } }""", true,
        "order-paid: the member tip (object) was removed. Stored events have it, and a class refuses JSON with a member that it does not have. "
            + "Raise the version to 2 and add an upcaster that removes or renames it.")]
    [InlineData("""{ "version": 2, "tags": ["order"], "members": { "orderId": "string", "amount": "integer", "note": "string or null, optional" } }""", true,
        "order-paid: the version went from 2 to 1, so stored events of version 2 cannot be read. Never lower a version.")]
    [InlineData("""{ "version": 1, "tags": ["customer"], "members": { "orderId": "string", "amount": "integer", "note": "string or null, optional" } }""", false,
        "order-paid: the tag customer was removed: new events do not carry it, so queries and append conditions by it do not find them.|order-paid: the tag order was "
            + "added: stored events do not carry it, so queries and append conditions by it do not find them.")]
    public void A_change_is_named_with_what_it_means_for_stored_events(string before, bool breaks, string expected)
    {
        var report = EventTypeLock.Compare($$"""{ "order-paid": {{before}} }""", new EventTypeRegistry().Add<OrderPaid>());

        Assert.Equal(expected, string.Join('|', report.Changes));
        Assert.Equal(breaks, report.BreaksStoredEvents);
        Assert.Equal(expected.Length == 0, report.IsUnchanged);
    }

    private sealed record Held<T>(T Value);

    private sealed record Nested<T>(List<Held<T>> Inner);

    private enum Shade
    {
        Red,
        Blue,
    }

    [Flags]
    private enum Sides
    {
        Left = 1,
        Right = 2,
    }

    [Flags]
    private enum LeftSide
    {
        Left = 1,
    }

    private sealed record Plain(int Count);

    private sealed record Extended(int Count)
    {
        [JsonExtensionData]
        public Dictionary<string, JsonElement>? More { get; init; }
    }

    [JsonDerivedType(typeof(Dog), "dog")]
    private abstract record PetOfOne
    {
        internal sealed record Dog(string Name) : PetOfOne;
    }

    [JsonDerivedType(typeof(Dog), "dog")]
    [JsonDerivedType(typeof(Cat), "cat")]
    private abstract record PetOfTwo
    {
        internal sealed record Dog(string Name) : PetOfTwo;

        internal sealed record Cat(int Lives) : PetOfTwo;
    }

    private sealed record Twice<T>(List<Held<T>> First, List<Held<T>> Second);

    private sealed record Articles(List<Line> Lines);

    private sealed record MoreArticles(List<Line>? Others, List<Line> Lines);

    private sealed record Tree(string Name, List<Tree>? Inside);

    private sealed record Trees(List<Tree>? Others, List<Tree> All);

    private sealed record Forest(List<Tree> All);

    [JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Skip)]
    private sealed record Article(int Count);

    [JsonDerivedType(typeof(Dog), "dog")]
    private abstract record StrictPet
    {
        internal sealed record Dog(string Name, int Age) : StrictPet;
    }

    [JsonDerivedType(typeof(Dog), "dog")]
    [JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Skip)]
    private abstract record TolerantPet
    {
        [JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Skip)]
        internal sealed record Dog(string Name) : TolerantPet;
    }

    [JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Skip)]
    [EventType("held")]
    private sealed record Tolerant<T>(T Inner);

    private static readonly Dictionary<string, Func<bool>> breaking = new()
    {
        ["long to int"] = Breaks<long, int>,
        ["int to short"] = Breaks<int, short>,
        ["int to byte"] = Breaks<int, byte>,
        ["int to uint"] = Breaks<int, uint>,
        ["uint to int"] = Breaks<uint, int>,
        ["ulong to long"] = Breaks<ulong, long>,
        ["long to double"] = Breaks<long, double>,
        ["int to float"] = Breaks<int, float>,
        ["double to float"] = Breaks<double, float>,
        ["double to decimal"] = Breaks<double, decimal>,
        ["decimal to double"] = Breaks<decimal, double>,
        ["double to long"] = Breaks<double, long>,
        ["string to char"] = Breaks<string, char>,
        ["string to Guid"] = Breaks<string, Guid>,
        ["string to TimeSpan"] = Breaks<string, TimeSpan>,
        ["string to bytes"] = Breaks<string, byte[]>,
        ["string to Version"] = Breaks<string, Version>,
        ["string to enum"] = Breaks<string, Colour>,
        ["DateTime to DateTimeOffset"] = Breaks<DateTime, DateTimeOffset>,
        ["DateTimeOffset to DateTime"] = Breaks<DateTimeOffset, DateTime>,
        ["DateTime to DateOnly"] = Breaks<DateTime, DateOnly>,
        ["nullable to not"] = Breaks<int?, int>,
        ["elements"] = Breaks<List<long>, int[]>,
        ["values"] = Breaks<Dictionary<string, long>, Dictionary<string, int>>,
        ["keys"] = Breaks<Dictionary<string, int>, Dictionary<Guid, int>>,
        ["keys of numbers"] = Breaks<Dictionary<long, int>, Dictionary<int, int>>,
        ["keys of an enum"] = Breaks<Dictionary<Colour, int>, Dictionary<Shade, int>>,
        ["value of an enum"] = Breaks<Colour, Shade>,
        ["flags"] = Breaks<Sides, LeftSide>,
        ["pair"] = Breaks<(int, long), (int, int)>,
        ["list to one"] = Breaks<List<int>, int>,
        ["extension data to none"] = Breaks<Extended, Plain>,
        ["derived class that went"] = Breaks<PetOfTwo, PetOfOne>,
        ["elements of two lists of one class"] = Breaks<Twice<long>, Twice<int>>,
        ["list of a class of which there is another list"] = Breaks<MoreArticles, Articles>,
        ["member of a class within one that skips unknown ones"] = static () => EventTypeLock.Compare(
            EventTypeLock.Create(new EventTypeRegistry().Add<Tolerant<Line>>()),
            new EventTypeRegistry().Add<Tolerant<Plain>>()).BreaksStoredEvents,
    };

    private static readonly Dictionary<string, Func<bool>> harmless = new()
    {
        ["int to long"] = Breaks<int, long>,
        ["byte to short"] = Breaks<byte, short>,
        ["uint to long"] = Breaks<uint, long>,
        ["int to double"] = Breaks<int, double>,
        ["long to decimal"] = Breaks<long, decimal>,
        ["float to double"] = Breaks<float, double>,
        ["char to string"] = Breaks<char, string>,
        ["Guid to string"] = Breaks<Guid, string>,
        ["enum to string"] = Breaks<Colour, string>,
        ["not to nullable"] = Breaks<int, int?>,
        ["list to array"] = Breaks<List<int>, int[]>,
        ["keys to texts"] = Breaks<Dictionary<Guid, int>, Dictionary<string, int>>,
        ["flags"] = Breaks<LeftSide, Sides>,
        ["to any"] = Breaks<long, object>,
        ["none to extension data"] = Breaks<Plain, Extended>,
        ["derived class that came"] = Breaks<PetOfOne, PetOfTwo>,
        ["list of a class before another one"] = Breaks<Articles, MoreArticles>,
        ["list of a class that contains itself before another one"] = Breaks<Forest, Trees>,
        ["member of a class that skips unknown ones"] = Breaks<Line, Article>,
        ["member of a derived class that skips unknown ones"] = Breaks<StrictPet, TolerantPet>,
    };

    public static TheoryData<string> Breaking => [.. breaking.Keys];

    public static TheoryData<string> Harmless => [.. harmless.Keys];

    [Theory]
    [MemberData(nameof(Breaking))]
    public void A_type_that_takes_less_than_the_one_before_breaks_stored_events(string change) => Assert.True(breaking[change]());

    [Theory]
    [MemberData(nameof(Harmless))]
    public void A_type_that_takes_all_that_the_one_before_took_breaks_nothing(string change) => Assert.False(harmless[change]());

    [Fact]
    public void Enums_that_are_written_as_numbers_are_compared_by_their_values()
    {
        static EventTypeRegistry Types<T>() =>
            new EventTypeRegistry().UseJsonSerializerOptions(new(JsonSerializerDefaults.Web)).Add<Held<T>>("held");

        Assert.Contains("0=Red or 1=Green", EventTypeLock.Create(Types<Colour>()), StringComparison.Ordinal);
        Assert.True(EventTypeLock.Compare(EventTypeLock.Create(Types<Colour>()), Types<Shade>()).BreaksStoredEvents);
        Assert.False(EventTypeLock.Compare(EventTypeLock.Create(Types<Colour>()), Types<int>()).BreaksStoredEvents);
    }

    [Fact]
    public void A_setter_that_became_private_is_refused_by_name()
    {
        var text = EventTypeLock.Create(new EventTypeRegistry().Add<Held<RoundTripShapes.HasName>>("held"));

        Assert.Contains("PrivateSetter.Name", Assert.Throws<InvalidOperationException>(() => EventTypeLock.Compare(text,
            new EventTypeRegistry().Add<Held<RoundTripShapes.PrivateSetter>>("held"))).Message, StringComparison.Ordinal);
    }

    // In a member of a class in a list, as in the class itself.
    private static bool Breaks<TBefore, TNow>()
    {
        var text = EventTypeLock.Create(new EventTypeRegistry().Add<Nested<TBefore>>("held"));
        var report = EventTypeLock.Compare(text, new EventTypeRegistry().Add<Nested<TNow>>("held"));
        Assert.True(EventTypeLock.Compare(text, new EventTypeRegistry().Add<Nested<TBefore>>("held")).IsUnchanged);
        return report.BreaksStoredEvents;
    }

    [Fact]
    public void A_type_that_is_gone_breaks_stored_events_and_a_new_one_does_not()
    {
        var report = EventTypeLock.Compare("""{ "order-sent": { "version": 1 } }""", new EventTypeRegistry().Add<OrderPaid>());

        Assert.Equal(
            [("order-paid", false), ("order-sent", true)], report.Changes.Select(change => (change.EventType, change.BreaksStoredEvents)));
    }

    [Fact]
    public void Members_that_an_upcaster_converts_do_not_break_stored_events()
    {
        var types = new EventTypeRegistry().Add<OrderPaid>("order-paid", 1);
        var raised = new EventTypeRegistry().Add<OrderRefunded>().AddUpcaster("order-refunded", 1, json => json);

        Assert.False(EventTypeLock.Compare("""{ "order-refunded": { "version": 1, "members": { "sum": "integer" } } }""", raised).BreaksStoredEvents);
        Assert.True(EventTypeLock.Compare("""{ "order-paid": { "version": 1, "members": { "sum": "integer" } } }""", types).BreaksStoredEvents);
    }

    [EventType("order-refunded", Version = 2)]
    private sealed record OrderRefunded(int Amount);

    [Fact]
    public void A_member_that_went_does_not_break_what_is_read_tolerantly()
    {
        const string before = """{ "order-refunded": { "version": 2, "members": { "amount": "integer", "sum": "integer" } } }""";
        EventTypeRegistry Types() => new EventTypeRegistry().Add<OrderRefunded>().AddUpcaster("order-refunded", 1, json => json);

        Assert.True(EventTypeLock.Compare(before, Types()).BreaksStoredEvents);
        Assert.False(EventTypeLock.Compare(before, Types().AllowUnknownOrMissingMembers()).BreaksStoredEvents);
    }

    [Theory]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("""{ "order-paid": 1 }""")]
    [InlineData("""{ "order-paid": { } }""")]
    [InlineData("""{ "order-paid": { "version": 1, "members": [] } }""")]
    [InlineData("""{ "order-paid": { "version": 1, "colour": "red" } }""")]
    public void A_text_that_is_no_lock_is_refused(string text) =>
        Assert.Contains("EventTypeLock.Create", Assert.Throws<FormatException>(() => EventTypeLock.Compare(text, new EventTypeRegistry())).Message,
            StringComparison.Ordinal);
}
