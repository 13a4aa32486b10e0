namespace Opossum;

/// <summary>The options of <see cref="IEventStores"/>.</summary>
public sealed class OpossumStoresOptions
{
    /// <summary>The folder that contains a folder for each store; created with the first store. Required.</summary>
    public string Root { get; set; } = "";

    /// <summary>
    /// How many stores may be open at once. To open one more, the one that was not used for the longest time is closed. Each takes memory in
    /// proportion to its events, and files and timers for itself and its projections. Default: 100. From 1 to 100,000.
    /// </summary>
    public int MaxOpen { get; set; } = 100;

    /// <summary>How long a store stays open after its last use. Default: 5 minutes. From 1 s to 1 day.</summary>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>
    /// How long a handle waits while <see cref="MaxOpen"/> stores are in use, and while its store, which was unused, is being closed. Default: 15 s.
    /// From 1 s to 1 hour.
    /// </summary>
    public TimeSpan WaitTimeout { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// The options of every store. <see cref="OpossumOptions.Path"/> stays empty: it follows from the root and the store's name.
    /// </summary>
    public OpossumOptions Store { get; } = new();

    /// <summary>The options of every store's projections.</summary>
    public ProjectionOptions Projections { get; } = new();

    /// <summary>The options of every store's reactions.</summary>
    public ReactionOptions Reactions { get; } = new();
}
