using static Opossum.Testing.Conformance.RuleEvents;

namespace Opossum.Testing.Conformance;

/// <summary>When an append fails.</summary>
internal static class ConditionRules
{
    public static IReadOnlyList<ConformanceRule> All { get; } =
    [
        new("condition-refuses", "An append fails when any event matches its condition, which has no position.",
            RuleSources.Condition, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:1"), New("b"));

            await store.RefusedAsync([New("c")], new AppendCondition(Tagged("k:1")));
            Expect.Same(["a", "b"], await store.TypesAsync());
        }),

        new("condition-holds", "An append succeeds when no event matches its condition, and on an empty store.",
            RuleSources.Writing, static async store =>
        {
            await store.AppendAsync([New("a", "k:1")], new AppendCondition(Query.All));
            await store.AppendAsync([New("b", "k:1")], new AppendCondition(Tagged("k:2")));
            await store.AppendAsync([New("c")], new AppendCondition(Query.FromItems(Item(["x"], "k:1")), After: 1));
            await store.AppendAsync([New("d")], new AppendCondition(Tagged("k:1", "k:2"), After: 1));

            Expect.Same(["a", "b", "c", "d"], await store.TypesAsync());
        }),

        new("condition-query", "A condition's query matches what the same query of a read matches.", RuleSources.Condition, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:1"), New("b", "k:2"), New("c", "m:1", "k:1"));
            (Query Query, bool Matches)[] queries =
            [
                (Query.All, true), (Query.FromEventTypes("x", "b"), true), (Query.FromEventTypes("x"), false),
                    (Tagged("k:1", "m:1"), true),
                (Tagged("k:2", "m:1"), false), (Query.FromItems(Item(["a"], "k:1")), true),
                    (Query.FromItems(Item(["b", "x"], "k:1")), false),
                (Query.FromItems(Item(["x"]), Item([], "k:2")), true),
                    (Query.FromItems(Item(["b"], "k:1"), Item([], "k:3")), false),
            ];

            foreach (var (query, matches) in queries)
            {
                try
                {
                    await store.AppendAsync([New("y")], new AppendCondition(query, After: 0));
                    Expect.Equal(matches, false, $"whether the condition on {query} fails");
                }
                catch (AppendConditionFailedException)
                {
                    Expect.Equal(matches, true, $"whether the condition on {query} fails");
                }
            }
        }),

        new("condition-after", "An event after the position of a condition makes it fail, also the first one.",
            RuleSources.Condition, static async store =>
        {
            await store.AppendEachAsync(New("a", "n:1"), New("b"), New("c", "k:1", "m:1"), New("d"));

            for (var after = 0; after <= 2; after++)
            {
                foreach (var query in (Query[])[.. ThirdEvent(), Query.FromItems(Item([], "n:1"), Item([], "m:1"))])
                    await store.RefusedAsync([New("e")], new AppendCondition(query, after));
            }
            Expect.Same(["a", "b", "c", "d"], await store.TypesAsync());
        }),

        new("condition-up-to", "An event up to the position of a condition, and at it, does not make it fail.",
            RuleSources.Condition, static async store =>
        {
            await store.AppendEachAsync(New("a"), New("b"), New("c", "k:1", "m:1"), New("d"));

            for (var after = 3; after <= 4; after++)
            {
                foreach (var query in ThirdEvent())
                    await store.AppendAsync([New("e")], new AppendCondition(query, after));
            }
            await store.AppendAsync([New("f")], new AppendCondition(Query.All, await store.GetHeadAsync()));
            Expect.Same(["a", "b", "c", "d", .. Enumerable.Repeat("e", 2 * ThirdEvent().Length), "f"], await store.TypesAsync());
        }),

        new("condition-beyond-head", "The position of a condition may be beyond the head.", RuleSources.Condition, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:1"));

            await store.AppendAsync([New("b")], new AppendCondition(Query.All, After: 100));
            await store.AppendAsync([New("c")], new AppendCondition(Tagged("k:1"), After: long.MaxValue));
            Expect.Same(["a", "b", "c"], await store.TypesAsync());
        }),

        new("condition-own-events", "An append does not fail for its own events.", RuleSources.Condition, static async store =>
        {
            await store.AppendAsync(Many(2, "a", "k:1"), new AppendCondition(Tagged("k:1"), After: 0));

            Expect.Same(["a", "a"], await store.TypesAsync());
        }),

        new("condition-atomic", "Of an append that fails nothing is stored.", RuleSources.Writing, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:1"));

            await store.RefusedAsync(Many(4, "b"), new AppendCondition(Tagged("k:1"), After: 0));
            Expect.Same(["a"], await store.TypesAsync());
        }),

        new("condition-refusal", "A refusal has the condition, the position of the first event that matches, and the head.",
            RuleSources.Store, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:2"), New("b", "k:1"), New("c", "k:1"), New("d"));
            var condition = new AppendCondition(Tagged("k:1"), After: 0);

            var refusal = await store.RefusedAsync([New("e")], condition);

            Expect.Equal(condition, refusal.Condition);
            Expect.Equal((2L, 4L), (refusal.ConflictingPosition, refusal.Head));
            Expect.True(!refusal.IsTransient);
        }),

        new("condition-head-of-read", "The head of a read guards what was decided on it.", RuleSources.Condition, static async store =>
        {
            await store.AppendEachAsync(New("course-defined", "course:c1"), New("course-defined", "course:c2"));
            var query = Tagged("course:c1");
            var stream = store.ReadAsync(query);
            await foreach (var e in stream)
                Expect.Equal("course-defined", e.Type);

            await store.AppendEachAsync(New("course-defined", "course:c3"));
            await store.AppendAsync([New("subscribed", "course:c1")], new AppendCondition(query, stream.Head));
            await store.RefusedAsync([New("subscribed", "course:c1")], new AppendCondition(query, stream.Head));
        }),
    ];

    /// <summary>Queries of each kind that find one event: of type c, with the tags k:1 and m:1.</summary>
    private static Query[] ThirdEvent() =>
    [
        Tagged("k:1"), Tagged("k:1", "m:1"), Query.FromEventTypes("c"), Query.FromEventTypes("x", "c"), Query.FromItems(Item(["c"], "k:1")),
        Query.FromItems(Item(["x"]), Item([], "m:1")),
    ];
}
