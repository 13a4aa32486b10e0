namespace Opossum.Testing;

/// <summary>Runs decisions against each other on the real engine, in every order in which their reads and appends can follow each other.</summary>
public static class Race
{
    /// <summary>Starts the description of a race.</summary>
    /// <param name="decisions">The decisions that run at the same time: 2 to 8.</param>
    /// <exception cref="ArgumentException">There are fewer than 2 decisions, or more than 8.</exception>
    /// <example><code>
    /// await Race.Explore(
    ///         new RaceDecision("Ada subscribes", store =&gt; SubscribeAsync(store, "c1", "ada")),
    ///         new RaceDecision("Ben subscribes", store =&gt; SubscribeAsync(store, "c1", "ben")))
    ///     .With(types)
    ///     .Given(new CourseDefined("c1", 1))
    ///     .Always("the course is not overbooked", events =&gt; events.Count(e =&gt; e.Data is StudentSubscribed) &lt;= 1)
    ///     .RunAsync();
    /// </code></example>
    public static RaceTest Explore(params RaceDecision[] decisions)
    {
        ArgumentNullException.ThrowIfNull(decisions);
        return new RaceTest([.. decisions]);
    }

    /// <summary>Starts the description of a race, whose decisions are named "decision 1", "decision 2" and so on.</summary>
    /// <param name="decisions">What each decision does to the store: 2 to 8.</param>
    /// <inheritdoc cref="Explore(RaceDecision[])"/>
    public static RaceTest Explore(params Func<IEventStore, Task>[] decisions)
    {
        ArgumentNullException.ThrowIfNull(decisions);
        return new RaceTest([.. decisions.Select(static (run, at) => new RaceDecision($"decision {at + 1}", run))]);
    }
}
