using System.Text;
using static Opossum.Testing.Conformance.RuleEvents;

namespace Opossum.Testing.Conformance;

/// <summary>What is stored, and how it is read back.</summary>
internal static class AppendingRules
{
    public static IReadOnlyList<ConformanceRule> All { get; } =
    [
        new("append-order", "The events of an append are stored in the order given, after all earlier ones.",
            RuleSources.Writing, static async store =>
        {
            await store.AppendAsync([New("a")]);
            await store.AppendAsync([New("b"), New("c"), New("d")]);

            Expect.Same(["a", "b", "c", "d"], await store.TypesAsync());
        }),

        new("append-result", "An append returns the positions of its first and its last event.", RuleSources.Store, static async store =>
        {
            Expect.Equal(new AppendResult { FirstPosition = 1, LastPosition = 1 }, await store.AppendAsync([New("a")]));
            Expect.Equal(new AppendResult { FirstPosition = 2, LastPosition = 4 }, await store.AppendAsync(Many(3, "b")));
        }),

        new("append-large", "An append of 1,100 events stores all of them.", RuleSources.Writing, static async store =>
        {
            var result = await store.AppendAsync(Many(1_100, "t", "k:1"));

            Expect.Equal(1_100, result.LastPosition);
            Expect.Equal(1_100, (await store.PositionsAsync(Tagged("k:1"))).Count);
        }),

        new("append-empty", "An append without events is refused.", "DCB: Events", static async store =>
        {
            await Expect.ThrowsAsync<ArgumentException>(() => store.AppendAsync([]));
            Expect.Same([], await store.TypesAsync());
        }),

        new("append-bad-event", "Of an append with an event that is not allowed nothing is stored.", RuleSources.Writing, static async store =>
        {
            await Expect.ThrowsAsync<ArgumentException>(() =>
                store.AppendAsync([New("a"), NewEvent.FromJson("b", "no JSON")]));
            Expect.Same([], await store.TypesAsync());
        }),

        new("append-twice-one-id", "Two events of an append cannot have one id.", RuleSources.Retries, static async store =>
        {
            var one = New("a");
            await Expect.ThrowsAsync<ArgumentException>(() => store.AppendAsync([one, New("b") with { Id = one.Id }]));
            Expect.Same([], await store.TypesAsync());
        }),

        new("append-cancelled", "An append whose token is cancelled before it begins is not made.", RuleSources.Store, static async store =>
        {
            await Expect.ThrowsAsync<OperationCanceledException>(() =>
                store.AppendAsync([New("a")], cancellationToken: new CancellationToken(canceled: true)));
            Expect.Same([], await store.TypesAsync());
        }),

        new("positions", "Positions begin with 1, increase by 1 and have no gap, also after an append that failed.",
            RuleSources.Positions, static async store =>
        {
            await store.AppendEachAsync(New("a"), New("b"));
            await Expect.ThrowsAsync<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("c", "no JSON")]));
            await store.AppendAsync(Many(2, "d"));

            Expect.Same([1L, 2, 3, 4], await store.PositionsAsync());
        }),

        new("event-type", "A type is stored exactly: every character of Unicode, up to 1,000 of them.", RuleSources.Sequenced, static async store =>
        {
            string[] types = ["plain", "grüße 😀 \"quoted\"\n\u2028\0end", "é", "e\u0301", new('x', 1_000)];
            foreach (var type in types)
                await store.AppendAsync([New(type)]);

            Expect.Same(types, await store.TypesAsync());
            for (var at = 0; at < types.Length; at++)
            {
                Expect.Same([at + 1L], await store.PositionsAsync(Query.FromEventTypes(types[at])),
                    $"the events of type {types[at]}");
            }
        }),

        new("event-data", "The data is stored as it is, apart from white space.", RuleSources.Data, static async store =>
        {
            const string Json = """{"b":[1.0,1e+400,-0,"ü😀 \n\u0000\"\\",null,true,{"b":{}}],"a":99,"tags":["k:9"],"type":"b"}""";
            await store.AppendAsync([NewEvent.FromJson("t", Json, new Tag("k", "1"))]);

            Expect.Same([Json], (await store.ReadAllAsync()).Select(TextOf));
        }),

        new("event-data-any", "The data may be any JSON value, and no query looks at it.", RuleSources.Data, static async store =>
        {
            string[] values =
                ["null", "true", "0", "1.50", "12345678901234567890123", "\"\"", "[]", "[[]]", """{"type":"other","tags":["k:1"]}"""];
            foreach (var json in values)
                await store.AppendAsync([NewEvent.FromJson("t", json, new Tag("m", "1"))]);

            Expect.Same(values, (await store.ReadAllAsync()).Select(TextOf));
            Expect.Same([], await store.TypesAsync(Query.FromEventTypes("other")));
            Expect.Same([], await store.TypesAsync(Tagged("k:1")));
        }),

        new("event-tags", "Tags are stored exactly and in their order, up to 10,000 characters each.", RuleSources.Tags, static async store =>
        {
            Tag[] tags =
            [
                new("k", "2"), new("k", "1"), new("schlüssel", "a:b \"😀\"\n\u2028\0"), new("é", "e\u0301"),
                new(new string('k', 1_000), new string('v', 10_000)),
            ];
            await store.AppendEachAsync(NewEvent.FromJson("t", "{}", tags), New("u", "k:3"));

            Expect.Same(tags, (await store.ReadAllAsync())[0].Tags);
            foreach (var tag in tags)
                Expect.Same([1L], await store.PositionsAsync(Query.FromTags(tag)), "the events with the tag");
        }),

        new("event-tag-twice", "A tag that is given twice is stored once.", RuleSources.Tags, static async store =>
        {
            await store.AppendAsync([NewEvent.FromJson("t", "{}", new Tag("k", "1"), new Tag("m", "1"),
                new Tag("k", "1"))]);

            Expect.Same([new Tag("k", "1"), new Tag("m", "1")], (await store.ReadAllAsync())[0].Tags);
            Expect.Same([1L], await store.PositionsAsync(Tagged("k:1")));
        }),

        new("event-tag-without-value", "A tag without a value is another one than that with an empty value.", RuleSources.Tags, static async store =>
        {
            await store.AppendEachAsync(New("a", "featured"), New("b", "featured:"),
                New("c", "featured", "other:featured"));

            Expect.Same(["a", "c"], await store.TypesAsync(Tagged("featured")));
            Expect.Same(["b"], await store.TypesAsync(Tagged("featured:")));
        }),

        new("event-metadata", "Metadata is stored exactly.", RuleSources.Store, static async store =>
        {
            var metadata = new Dictionary<string, string> { ["z"] = "1", ["ä\"\n"] = "😀\u2028\0", ["empty"] = "" };
            await store.AppendEachAsync(New("a") with { Metadata = metadata }, New("b"));

            var read = await store.ReadAllAsync();
            Expect.Same(metadata.OrderBy(static each => each.Key, StringComparer.Ordinal),
                read[0].Metadata.OrderBy(static each => each.Key, StringComparer.Ordinal),
                    "the metadata of the first event");
            Expect.Same([], read[1].Metadata, "the metadata of an event that was given none");
        }),

        new("event-id", "An event has the id that it was given, of any kind; else one of its own.", RuleSources.Store, static async store =>
        {
            NewEvent[] events = [New("a"), New("b") with { Id = new Guid("11111111-2222-4333-8444-555555555555") },
                New("c")];
            await store.AppendEachAsync(events);

            var read = (await store.ReadAllAsync()).ConvertAll(static e => e.Id);
            Expect.Same(events.Select(static e => e.Id), read);
            Expect.Equal(3, read.Distinct().Count());
        }),

        new("event-version", "An event has the version that it was given, and else version 1.", RuleSources.Store, static async store =>
        {
            await store.AppendEachAsync(New("a"), NewEvent.FromJson("b", "{}", int.MaxValue, new Tag("k", "1")));

            Expect.Same([1, int.MaxValue], (await store.ReadAllAsync()).Select(static e => e.Version));
        }),

        new("event-timestamp", "An event has a time, in UTC: the same in each read.", RuleSources.Store, static async store =>
        {
            await store.AppendEachAsync(New("a"), New("b"));

            var times = (await store.ReadAllAsync()).ConvertAll(static e => e.Timestamp);
            Expect.Same(times, (await store.ReadAllAsync()).Select(static e => e.Timestamp));
            Expect.True(times.TrueForAll(static time => time > DateTimeOffset.MinValue && time.Offset == TimeSpan.Zero),
                "each event has a time in UTC");
        }),
    ];

    private static string TextOf(SequencedEvent e) => Encoding.UTF8.GetString(e.Json.Span);
}
