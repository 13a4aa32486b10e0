namespace Opossum.Testing;

/// <summary>One decision of a race: what one caller does to the store, such as one request to an app.</summary>
/// <remarks>
/// It runs many times, once for each interleaving, so it must create whatever it changes outside the store. It stands for a process of its own:
/// a lock or a cache that decisions share would not exist between processes either.
/// </remarks>
public sealed class RaceDecision
{
    /// <summary>Creates a decision.</summary>
    /// <param name="name">Its name, for reports: who does what.</param>
    /// <param name="run">
    /// Reads the store and appends to it. An exception is an outcome as any other: the decision was refused. One that is refused in every
    /// interleaving fails the race, unless it catches the exception itself.
    /// </param>
    public RaceDecision(string name, Func<IEventStore, Task> run)
        : this(name, (store, _) => run(store)) => ArgumentNullException.ThrowIfNull(run);

    /// <summary>Creates a decision with side effects.</summary>
    /// <param name="name">Its name, for reports: who does what.</param>
    /// <param name="run">
    /// Reads the store and appends to it, and records each effect that must not happen for an attempt that fails, such as a mail.
    /// </param>
    public RaceDecision(string name, Func<IEventStore, SideEffects, Task> run)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(run);
        Name = name;
        Run = run;
    }

    /// <summary>The name.</summary>
    public string Name { get; }

    internal Func<IEventStore, SideEffects, Task> Run { get; }
}
