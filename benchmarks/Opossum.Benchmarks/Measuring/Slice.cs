namespace Opossum.Benchmarks.Measuring;

/// <summary>What one contender does in each round.</summary>
/// <param name="Contender">Its name.</param>
/// <param name="Operations">What the time of a round is divided by: events, or 1 for a time as a whole.</param>
/// <param name="PrepareAsync">Makes ready, untimed, and returns the work that is timed.</param>
internal sealed record Slice(string Contender, int Operations, Func<Task<Func<Task>>> PrepareAsync)
{
    public Slice(string contender, int operations, Func<Func<Task>> prepare)
        : this(contender, operations, () => Task.FromResult(prepare()))
    {
    }
}
