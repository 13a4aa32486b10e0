using System.Text;
using Opossum.Testing;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Repair;

/// <summary>A store whose events have a person's e-mail address in plain, which a redaction has to remove.</summary>
internal static class PersonalStore
{
    public const string Secret = "erika@example.org";

    /// <summary>The positions that have it.</summary>
    public static readonly long[] Positions = [1, 3, 6];

    /// <summary>The members that have it.</summary>
    public static readonly string[] Members = ["email", "contacts[].email"];

    /// <summary>
    /// Six events: a single one, three in one append, and two single ones. With a journal there are only lines, and the store stays open.
    /// </summary>
    public static async Task<IReadOnlyList<SequencedEvent>> CreateAsync(StorePlace place, bool useJournal = false)
    {
        var store = place.Open(options => (options.UseJournal, options.TimeProvider) = (useJournal, useJournal ? new TestClock() : place.Clock));
        await store.AppendAsync([Registered("c1")]);
        await store.AppendAsync([New("opened", "customer:c1"), WithContacts(), New("opened", "customer:c2")]);
        await store.AppendAsync([New("closed", "customer:c1")]);
        await store.AppendAsync([Registered("c3")]);
        var events = await store.ReadAllAsync();
        if (!useJournal)
            place.CloseStores();
        return events;
    }

    public static NewEvent Registered(string customer) => NewEvent.FromJson("customer-registered",
        $$"""{"name":"Erika","email":"{{Secret}}","age":42}""", new Tag("customer", customer)) with
    {
        Metadata = new Dictionary<string, string> { ["source"] = "web \"form\"" },
    };

    /// <summary>The paths of all files below a folder that hold the address.</summary>
    public static List<string> WhereItIs(StorePlace place, string? below = null) =>
        [.. from each in place.Snapshot(below)
            where each.Value is { } bytes && bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(Secret)) >= 0
            select each.Key];

    /// <summary>The events are the same, except that the redacted ones lack the address and say so.</summary>
    public static void AssertRedacted(IReadOnlyList<SequencedEvent> before, IReadOnlyList<SequencedEvent> after, int times = 1)
    {
        Assert.Equal(before.Select(Envelope), after.Select(Envelope));
        foreach (var (old, now) in before.Zip(after))
        {
            var json = Encoding.UTF8.GetString(old.Json.Span);
            Assert.Equal(json.Replace($"\"{Secret}\"", "null", StringComparison.Ordinal), Encoding.UTF8.GetString(now.Json.Span));
            var redactions = EventRedaction.Of(now);
            Assert.Equal(Positions.Contains(now.Position) ? times : 0, redactions.Count);
            Assert.Equal(old.Metadata.GetValueOrDefault("source"), now.Metadata.GetValueOrDefault("source"));
            Assert.All(redactions, static each => Assert.Equal("The person asked for it.", each.Reason));
        }
    }

    private static string Envelope(SequencedEvent e) =>
        $"{e.Position} {e.Id} {e.Type} {e.Version} {string.Join(' ', e.Tags)} {e.Timestamp:O}";

    private static NewEvent WithContacts() => NewEvent.FromJson("contacts-changed",
        $$"""{"contacts":[{"email":"{{Secret}}","kind":"work"},{"kind":"none"},{"email":null},{"email":"{{Secret}}"}],"email2":"x"}""",
        new Tag("customer", "c1"));
}
