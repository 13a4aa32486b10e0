using Opossum.Testing.Conformance;

namespace Opossum.Testing;

/// <summary>
/// The rules that every <see cref="IEventStore"/> keeps: those of the DCB specification, the order of events, what a retry does, and what is durable.
/// Run them on a fake or on a store of your own that forwards to another one.
/// </summary>
/// <example><code>
/// await EventStoreConformance.RunAsync(() =&gt; new AuditedStore(InMemoryEventStore.Open()));
/// </code></example>
public static class EventStoreConformance
{
    /// <summary>All rules, in the order of docs/conformance.md. Each has its own id, by which a theory of a test framework lists it.</summary>
    public static IReadOnlyList<ConformanceRule> Rules { get; } =
    [
        .. AppendingRules.All,
        .. ConditionRules.All,
        .. RetryRules.All,
        .. ReadingRules.All,
        .. SubscriptionRules.All,
        .. SeveralStoresRules.All,
    ];

    /// <summary>Checks all rules that one opening of a store can be checked for, each on a store of its own.</summary>
    /// <param name="create">Creates an empty store. It is disposed after its rule, if it can be.</param>
    /// <returns>The rules that were not checked: they need a store that can be opened again, or a disk whose power fails.</returns>
    /// <exception cref="TestFailedException">A rule is broken; the message names every such rule, and what happened.</exception>
    public static Task<IReadOnlyList<ConformanceRule>> RunAsync(Func<IEventStore> create)
    {
        ArgumentNullException.ThrowIfNull(create);
        return RunAsync(() => Task.FromResult(new ConformanceStore(create())));
    }

    /// <summary>Checks all rules that the store can be checked for, each on a store of its own.</summary>
    /// <param name="create">Creates an empty store, and says how it is opened again. It is disposed after its rule.</param>
    /// <returns>The rules that were not checked, because the store cannot do what they need.</returns>
    /// <exception cref="TestFailedException">A rule is broken; the message names every such rule, and what happened.</exception>
    public static async Task<IReadOnlyList<ConformanceRule>> RunAsync(Func<Task<ConformanceStore>> create)
    {
        ArgumentNullException.ThrowIfNull(create);
        var (left, broken) = (new List<ConformanceRule>(), new List<TestFailedException>());
        foreach (var rule in Rules)
        {
            await using var store = await create();
            if (!rule.CanCheck(store))
            {
                left.Add(rule);
                continue;
            }
            try
            {
                await rule.CheckAsync(store);
            }
            catch (TestFailedException e)
            {
                broken.Add(e);
            }
        }
        return broken switch
        {
            [] => left,
            [var only] => throw only,
            _ => throw new TestFailedException($"{broken.Count} rules are broken.\n\n"
                + string.Join("\n\n", broken.Select(static each => each.Message)),
                new AggregateException(broken)),
        };
    }
}
