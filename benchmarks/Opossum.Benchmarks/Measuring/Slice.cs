namespace Opossum.Benchmarks.Measuring;

/// <summary>The work of one contender in each round.</summary>
/// <param name="Contender">Its name.</param>
/// <param name="Operations">What the time of a round is divided by: events, or 1 for a time as a whole.</param>
/// <param name="PrepareAsync">Prepares, untimed, and returns the work to be timed.</param>
internal sealed record Slice(string Contender, int Operations, Func<Task<Func<Task>>> PrepareAsync)
{
    public Slice(string contender, int operations, Func<Func<Task>> prepare)
        : this(contender, operations, () => Task.FromResult(prepare()))
    {
    }
}
