using System.Text;
using static Opossum.Testing.Conformance.RuleEvents;

namespace Opossum.Testing.Conformance;

/// <summary>What several callers at the same time, several openings, and what is opened after a close or a power cut see of each other.</summary>
internal static class SeveralStoresRules
{
    private const int Callers = 20;
    private const int Threads = 4;

    public static IReadOnlyList<ConformanceRule> All { get; } =
    [
        new("race-one-winner", "Of appends at the same time under one condition exactly one succeeds.", RuleSources.Condition, static async store =>
        {
            var condition = new AppendCondition(Tagged("k:1"), After: 0);

            var winners = await AtOnceAsync(Callers, _ => TryAppendAsync(store, condition));

            Expect.Equal(1, winners.Count(static won => won));
            Expect.Same(["t"], await store.TypesAsync());
        }),

        new("race-unrelated", "Appends at the same time under conditions that nothing violates all succeed.",
            RuleSources.Condition, static async store =>
        {
            var winners = await AtOnceAsync(Callers, number =>
                TryAppendAsync(store, new AppendCondition(Tagged($"k:{number}"), After: 0), $"k:{number}"));

            Expect.Equal(Callers, winners.Count(static won => won));
        }),

        new("race-ranges", "Appends at the same time get ranges of positions of their own, each without a gap.",
            RuleSources.Positions, RuleNeed.Nothing, static async stores =>
        {
            var (store, other) = (stores.Store, await stores.AnotherOrSameAsync());
            var results = await AtOnceAsync(Callers, number => (number % 3 == 0 ? other : store).AppendAsync(Many(2, $"t{number}")));

            await store.AppendEachAsync(New("end"));
            var types = await store.TypesAsync();
            Expect.Equal(2 * Callers + 1, types.Count);
            Expect.Same(Enumerable.Range(0, Callers).Select(static number => $"t{number} t{number}"),
                results.Select(result => $"{types[(int)result.LastPosition - 2]} {types[(int)result.LastPosition - 1]}"),
                    "the types of each append");
        }),

        new("race-whole-appends", "A read sees all events of an append or none, and no event that a later read finds before one of them.",
            RuleSources.Writing, RuleNeed.Nothing, static async stores =>
        {
            const int Appends = 15, Size = 3;
            var (store, other) = (stores.Store, await stores.AnotherOrSameAsync());
            var writing = Task.Run(async () =>
            {
                for (var number = 0; number < Appends; number++)
                    await store.AppendAsync(Many(Size, "t", "k:1"));
            });
            var count = 0;
            for (var isLast = false; !isLast;)
            {
                // The last reads begin after the last append.
                isLast = writing.IsCompleted;
                foreach (var reader in new[] { other, store })
                {
                    var positions = await reader.PositionsAsync(Tagged("k:1"));
                    count = positions.Count;
                    Expect.Equal(0, count % Size, "the number of events of appends that a read sees in part");
                    Expect.Equal(count, positions.LastOrDefault(), "the last position that a read sees");
                }
            }
            await writing;
            // The store that appends reads last; what another opening sees of it is a rule of its own.
            Expect.Equal(Appends * Size, count, "the number of events that a read sees after all appends");
        }),

        new("another-reads", "Each opening of a store reads at once what another one has appended.",
            RuleSources.Store, RuleNeed.Another, static async stores =>
        {
            var (store, other) = (stores.Store, await stores.AnotherAsync());
            foreach (var (from, to, type) in new[] { (store, other, "a"), (other, store, "b"), (store, other, "c") })
            {
                await from.AppendEachAsync(New(type));
                Expect.Equal(type, (await to.TypesAsync()).LastOrDefault());
            }
        }),

        new("another-condition", "A condition fails for what another opening has appended, also at the same time.",
            RuleSources.Condition, RuleNeed.Another, static async stores =>
        {
            var (store, other) = (stores.Store, await stores.AnotherAsync());
            await other.AppendEachAsync(New("a", "k:1"));
            await store.RefusedAsync([New("b")], new AppendCondition(Tagged("k:1"), After: 0));

            for (var round = 0; round < 10; round++)
            {
                var condition = new AppendCondition(Tagged($"round:{round}"), After: 0);
                var winners = await AtOnceAsync(2, number => TryAppendAsync(number == 0 ? store : other, condition, $"round:{round}"));
                Expect.Equal(1, winners.Count(static won => won));
            }
        }),

        new("another-subscription", "A subscription gives the events of other openings, in the order of positions.",
            RuleSources.Store, RuleNeed.Another, static async stores =>
        {
            var (store, other) = (stores.Store, await stores.AnotherAsync());
            await using var subscription = store.SubscribeAsync(Tagged("k:1")).GetAsyncEnumerator();
            for (var position = 1; position <= 10; position += 2)
            {
                var next = subscription.MoveNextAsync();
                await other.AppendEachAsync(New("a", "k:1"));
                await store.AppendEachAsync(New("b", "k:1"));
                Expect.True(await next);
                Expect.Equal(position, subscription.Current.Position);
                Expect.Same([position + 1L], await subscription.NextAsync(1));
            }
        }),

        new("reopened", "A store that was closed and opened again has every event as it was, and continues with the next position.",
            RuleSources.Durability, RuleNeed.Reopening, static async stores =>
        {
            var metadata = new Dictionary<string, string> { ["z"] = "1", ["ä"] = "😀" };
            await stores.Store.AppendEachAsync(
                NewEvent.FromJson("grüße", """{ "a": [1.0, "ü"] }""", 2, new Tag("k", "1"), new Tag("m")) with { Metadata = metadata },
                New("b"), New("c", "k:1"));
            var before = (await stores.Store.ReadAllAsync()).ConvertAll(TextOf);

            var again = await stores.ReopenAsync();

            Expect.Same(before, (await again.ReadAllAsync()).Select(TextOf), "the events");
            Expect.Same([1L, 3], await again.PositionsAsync(Tagged("k:1")));
            Expect.Equal(4, (await again.AppendAsync([New("d")])).LastPosition);
        }),

        new("power-cut", "An append that has returned survives a power cut.", RuleSources.Durability, RuleNeed.PowerCut, static async stores =>
        {
            string[] types = ["a", "b", "b", "c"];
            // Each is looked at before the next one, whose flush might make it durable too.
            for (var (stored, size) = (0, 1); stored < types.Length; stored += size)
            {
                size = stored == 1 ? 2 : 1;
                await stores.Store.AppendAsync(Many(size, types[stored], "k:1"));
                await foreach (var after in stores.OpenAfterPowerCut!())
                {
                    Expect.Same(types.Take(stored + size), await after.TypesAsync(Tagged("k:1")),
                        "the events after a power cut");
                    await ConformanceStore.CloseAsync(after);
                }
            }
        }),
    ];

    // Several threads, so that calls of a synchronous store meet too; each starts all its calls before it awaits the first, so that those of a
    // store meet that takes turns only where it awaits.
    private static async Task<IReadOnlyList<T>> AtOnceAsync<T>(int count, Func<int, Task<T>> call)
    {
        var parts = Enumerable.Range(0, count).Chunk((count + Threads - 1) / Threads).ToList();
        using var start = new Barrier(parts.Count);
        var results = await Task.WhenAll(parts.Select(numbers =>
            Task.Factory.StartNew(() =>
            {
                start.SignalAndWait();
                return Task.WhenAll(numbers.Select(call).ToList());
            }, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap()).ToList());
        return [.. results.SelectMany(static each => each)];
    }

    private static async Task<bool> TryAppendAsync(IEventStore store, AppendCondition condition, string tag = "k:1")
    {
        try
        {
            await store.AppendAsync([New("t", tag)], condition);
            return true;
        }
        catch (AppendConditionFailedException)
        {
            return false;
        }
    }

    private static string TextOf(SequencedEvent e) =>
        string.Join(' ', [$"{e.Position}", e.Type, $"{e.Version}", $"{e.Id}", $"{e.Timestamp:O}",
        .. e.Tags.Select(static tag => tag.ToString()), .. e.Metadata.Select(static each => $"{each.Key}={each.Value}"),
        Encoding.UTF8.GetString(e.Json.Span)]);
}
