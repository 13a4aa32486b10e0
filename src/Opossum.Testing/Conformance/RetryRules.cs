using static Opossum.Testing.Conformance.RuleEvents;

namespace Opossum.Testing.Conformance;

/// <summary>An append that is made again, because its caller does not know whether it was made.</summary>
internal static class RetryRules
{
    private static readonly AppendCondition once = new(Tagged("k:1"), After: 0);

    public static IReadOnlyList<ConformanceRule> All { get; } =
    [
        new("retry-same-outcome", "An append repeated under a condition that its own events violate has its first outcome.",
            RuleSources.Retries, static async store =>
        {
            await store.AppendEachAsync(New("before", "k:0"));
            NewEvent[] events = [New("b", "k:1"), New("b", "k:1")];
            var first = await store.AppendAsync(events);
            await store.AppendEachAsync(New("after", "m:1"));

            Expect.Equal(first, await store.AppendAsync(events, once));
            Expect.Equal(first, await store.AppendAsync(events, once));
            Expect.Same(["before", "b", "b", "after"], await store.TypesAsync());
        }),

        new("retry-other-order", "A retry is recognized although its tags, members or metadata come in another order.",
            RuleSources.Retries, static async store =>
        {
            var id = Guid.CreateVersion7();
            await store.AppendAsync([Priced(id, ["k:1", "k:2"], """{ "a": { "x": 1, "y": [1, 2] }, "b": 2 }""", ["a", "b"])]);

            await store.AppendAsync([Priced(id, ["k:2", "k:1"], """{ "b": 2, "a": { "y": [1, 2], "x": 1 } }""", ["b", "a"])], once);
            Expect.Same(["priced"], await store.TypesAsync());
        }),

        new("retry-without-condition", "An append repeated without a condition, or under one that holds, is a new one.",
            RuleSources.Retries, static async store =>
        {
            NewEvent[] events = [New("a", "k:1")];
            await store.AppendAsync(events);

            await store.AppendAsync(events);
            await store.AppendAsync(events, new AppendCondition(Tagged("k:2"), After: 0));
            Expect.Same(["a", "a", "a"], await store.TypesAsync());
        }),

        new("retry-differs", "An append that repeats the ids of an earlier one and differs in anything else is refused.",
            RuleSources.Retries, static async store =>
        {
            NewEvent a = Note("a"), b = Note("b");
            var listed = NewEvent.FromJson("listed", "[1,2]", new Tag("k", "1"));
            await store.AppendAsync([a, b]);
            await store.AppendEachAsync(listed, New("after"));

            foreach (var different in new NewEvent[][]
            {
                [a], [b], [b, a], [a, Note("b")], [Note("a"), b], [a, b, Note("c")], [Note("c"), a, b],
                [a, Note("b", "k:2", b.Id)], [a, Note("other", "k:1", b.Id)],
                    [a, New("remarked", "k:1") with { Id = b.Id }],
                [NewEvent.FromJson("listed", "[2,1]", new Tag("k", "1")) with { Id = listed.Id }],
                [a, b with { Metadata = new Dictionary<string, string> { ["more"] = "1" } }],
            })
            {
                await store.RefusedAsync(different, once);
            }
            Expect.Same(["noted", "noted", "listed", "after"], await store.TypesAsync());
            // Its events are stored one after another, by two appends.
            NewEvent[] four = [Note("a"), Note("b"), Note("c"), Note("d")];
            var first = await store.AppendAsync(four[..2]);
            await store.AppendAsync(four[2..]);
            await store.RefusedAsync(four[1..3], once with { After = first.FirstPosition });
        }),

        new("retry-foreign-event", "An append repeated after a foreign event that violates its condition is refused.",
            RuleSources.Retries, static async store =>
        {
            NewEvent[] events = [New("a", "k:1")];
            await store.AppendEachAsync(New("foreign", "k:1"));
            await store.AppendAsync(events);

            await store.RefusedAsync(events, once);
            Expect.Same(["foreign", "a"], await store.TypesAsync());
        }),
    ];

    private static NewEvent Priced(Guid id, string[] tags, string json, string[] metadata) =>
        NewEvent.FromJson("priced", json, [.. tags.Select(Tag.Parse)]) with
        {
            Id = id,
            Metadata = metadata.ToDictionary(static key => key, static key => $"{key} entry"),
        };

    private static NewEvent Note(string text, string tag = "k:1", Guid? id = null) =>
        NewEvent.FromJson("noted", $$"""{"text":"{{text}}"}""", Tag.Parse(tag)) with { Id = id ?? Guid.CreateVersion7() };
}
