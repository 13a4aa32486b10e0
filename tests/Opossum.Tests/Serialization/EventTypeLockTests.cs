using System.Text.Json.Serialization;

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
                "tags": "order, article",
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

    [EventType("folder-made")]
    private sealed record FolderMade(string Name, FolderMade? Inside);

    [Fact]
    public void A_type_that_contains_itself_has_an_end()
    {
        var types = new EventTypeRegistry().Add<FolderMade>();
        var text = EventTypeLock.Create(types);

        Assert.Contains("\"same as #", text, StringComparison.Ordinal);
        Assert.True(EventTypeLock.Compare(text, types).IsUnchanged);
    }

    [EventType("order-paid")]
    private sealed record OrderPaid([property: Tag("order")] string OrderId, int Amount, string? Note);

    // Each line: what the lock said of the member "amount" of version 1, what of today's class breaks stored events, and what is said.
    [Theory]
    [InlineData("""{ "version": 1, "tags": "order", "members": { "orderId": "string", "amount": "integer", "note": "string or null, optional" } }""", false, "")]
    [InlineData("""{ "version": 1, "tags": "order", "members": { "orderId": "string", "note": "string or null, optional" } }""", true,
        "order-paid: the member amount (integer) was added. Stored events lack it. Raise the version to 2 and add an upcaster that adds it, "
            + "or make it nullable or give it a default value.")]
    [InlineData("""{ "version": 1, "tags": "order", "members": { "orderId": "string", "amount": "integer" } }""", false,
        "order-paid: the member note (string or null, optional) was added.")]
    [InlineData("""{ "version": 1, "tags": "order", "members": { "orderId": "string", "amount": "number", "note": "string or null, optional" } }""", true,
        "order-paid: the member amount was number and is integer. Stored events may hold what the class does not read now. Raise the version to 2 "
            + "and add an upcaster that converts it.")]
    [InlineData("""{ "version": 1, "tags": "order", "members": { "orderId": "string uuid", "amount": "integer", "note": "string" } }""", false,
        "order-paid: the member orderId was string uuid and is string.|order-paid: the member note was string and is string or null, optional.")]
    [InlineData("""{ "version": 1, "tags": "order", "members": { "orderId": "string", "amount": "integer", "note": "string or null, optional", "tip": "object", "tip.of": "string" } }""", true,
        "order-paid: the member tip (object) was removed. Stored events have it, and a class refuses JSON with a member that it does not have. "
            + "Raise the version to 2 and add an upcaster that removes or renames it.")]
    [InlineData("""{ "version": 2, "tags": "order", "members": { "orderId": "string", "amount": "integer", "note": "string or null, optional" } }""", true,
        "order-paid: the version went from 2 to 1, so stored events of version 2 cannot be read. Never lower a version.")]
    [InlineData("""{ "version": 1, "tags": "customer", "members": { "orderId": "string", "amount": "integer", "note": "string or null, optional" } }""", false,
        "order-paid: the tag customer was removed: new events do not carry it, so queries and append conditions by it do not find them.|order-paid: the tag order was "
            + "added: stored events do not carry it, so queries and append conditions by it do not find them.")]
    public void A_change_is_named_with_what_it_means_for_stored_events(string before, bool breaks, string expected)
    {
        var report = EventTypeLock.Compare($$"""{ "order-paid": {{before}} }""", new EventTypeRegistry().Add<OrderPaid>());

        Assert.Equal(expected, string.Join('|', report.Changes));
        Assert.Equal(breaks, report.BreaksStoredEvents);
        Assert.Equal(expected.Length == 0, report.IsUnchanged);
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
        Assert.False(EventTypeLock.Compare(before, Types().ReadTolerantly()).BreaksStoredEvents);
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
