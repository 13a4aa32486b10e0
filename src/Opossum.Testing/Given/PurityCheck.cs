using Opossum.Decisions;

namespace Opossum.Testing.Given;

/// <summary>Applies the same events several times to a decision projection, at different times of the clock, and compares the states.</summary>
internal static class PurityCheck
{
    // Much longer than the periods of most rules; in both directions, because a period may have begun or ended.
    private static readonly TimeSpan[] shifts = [TimeSpan.FromDays(1000), TimeSpan.FromDays(-1000)];

    /// <summary>What is wrong; null when all states are equal.</summary>
    public static async Task<string?> FindAsync<TState>(IEventStore store, DecisionProjection<TState> projection, TestClock clock,
        CancellationToken cancellationToken)
    {
        var first = await FoldAsync(store, projection, cancellationToken).ConfigureAwait(false);
        // Before the other states, which may be the same object.
        var firstText = StateText.Of(first);
        try
        {
            foreach (var shift in shifts)
            {
                clock.Shift = shift;
                var other = await FoldAsync(store, projection, cancellationToken).ConfigureAwait(false);
                var otherText = StateText.Of(other);
                if (firstText == otherText || (!ReferenceEquals(first, other) && Equals(first, other)))
                    continue;
                return $"a decision projection is impure: the same events gave the state {firstText}, and {otherText} when the clock was moved. Its "
                    + "handlers may depend only on the state and the event, not on the time, on random numbers or on anything outside, and must "
                    + "return a new state instead of changing the one that they receive";
            }
            return null;
        }
        finally
        {
            clock.Shift = TimeSpan.Zero;
        }
    }

    private static async Task<TState> FoldAsync<TState>(IEventStore store, DecisionProjection<TState> projection,
        CancellationToken cancellationToken)
    {
        var folds = new List<DecisionFold>();
        var state = projection.Begin(folds);
        await DecisionReader.ReadAsync(store, folds, cancellationToken).ConfigureAwait(false);
        return state();
    }
}
