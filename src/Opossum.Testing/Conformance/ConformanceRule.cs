using Opossum.Testing.Conformance;

namespace Opossum.Testing;

/// <summary>A rule that every event store keeps.</summary>
public sealed class ConformanceRule
{
    private readonly Func<ConformanceStore, Task> check;
    private readonly RuleNeed need;

    internal ConformanceRule(string id, string what, string source, Func<IEventStore, Task> check)
        : this(id, what, source, RuleNeed.Nothing, store => check(store.Store))
    {
    }

    internal ConformanceRule(string id, string what, string source, RuleNeed need, Func<ConformanceStore, Task> check)
    {
        (Id, What, Source) = (id, what, source);
        (this.need, this.check) = (need, check);
    }

    /// <summary>The name of the rule, such as <c>condition-refuses</c>; it never changes.</summary>
    public string Id { get; }

    /// <summary>The rule in one sentence.</summary>
    public string What { get; }

    /// <summary>Where the rule comes from: a section of the DCB specification, https://dcb.events/specification, or the documentation.</summary>
    public string Source { get; }

    /// <summary>Whether a store can do what the rule needs: be opened again, or lose its power.</summary>
    /// <param name="store">The store.</param>
    public bool CanCheck(ConformanceStore store)
    {
        ArgumentNullException.ThrowIfNull(store);
        return need switch
        {
            RuleNeed.Another => store.OpenAnother is not null,
            RuleNeed.Reopening => store.OpenAnother is not null && store.Store is IAsyncDisposable or IDisposable,
            RuleNeed.PowerCut => store.OpenAfterPowerCut is not null,
            _ => true,
        };
    }

    /// <summary>Checks the rule.</summary>
    /// <param name="store">An empty store, for this rule alone.</param>
    /// <exception cref="TestFailedException">The store breaks the rule, or is not empty.</exception>
    /// <exception cref="NotSupportedException">The store cannot do what the rule needs; see <see cref="CanCheck"/>.</exception>
    public async Task CheckAsync(ConformanceStore store)
    {
        if (!CanCheck(store))
            throw new NotSupportedException($"The rule {Id} needs a store that {Needed}.");
        try
        {
            Expect.Same([], await store.Store.TypesAsync(), "the events of the store before the rule begins");
            await check(store);
        }
        catch (Exception e)
        {
            throw new TestFailedException($"The store breaks the rule {Id}: {What} ({Source})\n{(e is TestFailedException ? e.Message : e)}", e);
        }
    }

    /// <summary>The rule's id.</summary>
    public override string ToString() => Id;

    private string Needed => need switch
    {
        RuleNeed.PowerCut => $"has a {nameof(ConformanceStore.OpenAfterPowerCut)}",
        RuleNeed.Reopening => $"can be disposed and has an {nameof(ConformanceStore.OpenAnother)}",
        _ => $"has an {nameof(ConformanceStore.OpenAnother)}",
    };
}
