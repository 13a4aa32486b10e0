namespace Opossum.Testing;

/// <summary>
/// Records the side effects of a decision in a race. An effect of an attempt whose append then fails on its condition is reported: it happened
/// although the attempt was void, and it happens again with the retry.
/// </summary>
/// <example><code>
/// new RaceDecision("Ada subscribes", (store, effects) =&gt;
///     new Subscriptions(store, sendMail: text =&gt; effects.Record(text)).SubscribeAsync("c1", "ada"))
/// </code></example>
public sealed class SideEffects
{
    private readonly Action<string> record;

    internal SideEffects(Action<string> record) => this.record = record;

    /// <summary>Records an effect that has just happened.</summary>
    /// <param name="what">What happened, for the report.</param>
    public void Record(string what)
    {
        ArgumentNullException.ThrowIfNull(what);
        record(what);
    }
}
