using System.Text.Json.Nodes;
using Opossum.Following;
using Opossum.Projections.Reading;

namespace Opossum;

/// <summary>The projections of a store: those that this process runs, and those whose states are in the store's folder.</summary>
/// <example><code>
/// var courses = store.Projections.Get&lt;CourseOverview&gt;();
/// foreach (var name in await store.Projections.ListAsync())
///     Console.WriteLine($"{name} is at {(await store.Projections[name].GetStatusAsync()).Position}");
/// </code></example>
public sealed class ProjectionCollection
{
    private readonly Openings<Opening<ProjectionReader>> openings;

    internal ProjectionCollection(Openings<Opening<ProjectionReader>> openings) => this.openings = openings;

    internal Openings<Opening<ProjectionReader>> Openings => openings;

    /// <summary>A projection, by its name. That the store has it is checked when something is asked of it.</summary>
    /// <param name="name">The projection's name.</param>
    /// <exception cref="ArgumentException">No projection can have that name.</exception>
    public ProjectionHandle this[string name]
    {
        get
        {
            NameRules.CheckFolderName(name, "The projection's name", nameof(name));
            return new ProjectionHandle(new Followed<ProjectionReader>(openings, name));
        }
    }

    /// <summary>Returns the states of a projection.</summary>
    /// <typeparam name="TState">
    /// The type of the states of a projection that this process runs; or <see cref="JsonNode"/>, with a name, for any projection of the store.
    /// </typeparam>
    /// <param name="name">The projection's name. Null, the default: the only projection with that state type.</param>
    /// <exception cref="ArgumentException">
    /// This process runs no projection with that name and state type, or the name is null and several projections have that state type.
    /// </exception>
    public IProjectionStore<TState> Get<TState>(string? name = null)
        where TState : class
    {
        if (name is not null && typeof(TState) == typeof(JsonNode))
        {
            NameRules.CheckFolderName(name, "The projection's name", nameof(name));
            return new ProjectionStates<TState>(() => (openings, name));
        }
        var present = openings.Present;
        var running = present.Running;
        var found = running.OfType<ProjectionReader<TState>>().Where(reader => name is null || reader.Name == name).ToList();
        return found switch
        {
            [var reader] => new ProjectionStates<TState>(() => (openings, reader.Name), Tuple.Create(present, (ProjectionReader)reader, reader)),
            [] =>
                throw new ArgumentException($"No projection {(name is null ? "" : $"{NameRules.Quote(name)} ")}with the state {typeof(TState)} "
                    + "was started. " + (running.Count == 0
                    ? "None was: start it with StartProjections or, in a host, add it with AddProjection<T>()."
                    : $"Started projections: {string.Join(", ", running.Select(static reader => reader.Name))}."), nameof(name)),
            _ =>
                throw new ArgumentException($"Several projections have the state {typeof(TState)}: "
                    + $"{string.Join(", ", found.Select(static reader => reader.Name))}. Pass the name of one of them.", nameof(name)),
        };
    }

    /// <summary>Lists the names of the projections, in ordinal order.</summary>
    /// <param name="cancellationToken">Cancels the call before it reads.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public Task<IReadOnlyList<string>> ListAsync(CancellationToken cancellationToken = default) =>
        openings.AskAsync(opening => opening.ListAsync(cancellationToken), cancellationToken);
}
