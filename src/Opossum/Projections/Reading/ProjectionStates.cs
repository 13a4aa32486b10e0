using System.Runtime.CompilerServices;
using Opossum.Following;

namespace Opossum.Projections.Reading;

/// <summary>The states of a projection, across the openings of its store.</summary>
/// <param name="find">Finds the store, and the projection's name; called when it is used for the first time.</param>
/// <param name="found">The opening, and the reader of what it runs; null: they are looked for.</param>
internal class ProjectionStates<TState>(Func<(Openings<Opening<ProjectionReader>> Openings, string Name)> find,
    Tuple<Opening<ProjectionReader>, ProjectionReader, ProjectionReader<TState>>? found = null) : IProjectionStore<TState>
    where TState : class
{
    // What cannot be found yet, because the host has not started, is looked for again.
    private readonly Lazy<(Openings<Opening<ProjectionReader>> Openings, string Name)> place = new(find, LazyThreadSafetyMode.PublicationOnly);
    // The reader, and what it was made of: itself, or one of states of another type.
    private volatile Tuple<Opening<ProjectionReader>, ProjectionReader, ProjectionReader<TState>>? found = found;

    public Task<TState?> GetAsync(string key, CancellationToken cancellationToken = default) =>
        AskAsync(reader => reader.GetAsync(key, cancellationToken), cancellationToken);

    public Task<IReadOnlyDictionary<string, TState>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default) =>
        AskAsync(reader => reader.GetManyAsync(keys, cancellationToken), cancellationToken);

    public IAsyncEnumerable<ProjectionEntry<TState>> ReadAllAsync(CancellationToken cancellationToken = default) =>
        ReadAsync(static reader => reader.ReadAllAsync(CancellationToken.None), cancellationToken);

    public IAsyncEnumerable<ProjectionEntry<TState>> FindAsync(IEnumerable<Tag> tags, CancellationToken cancellationToken = default)
    {
        // Invalid arguments throw at once, not at the first state.
        var wanted = ProjectionReader<TState>.Check(tags);
        return ReadAsync(reader => reader.FindAsync(wanted, CancellationToken.None), cancellationToken);
    }

    public Task WaitForAsync(long position, CancellationToken cancellationToken = default) => AskAsync(async reader =>
    {
        await reader.WaitForAsync(position, cancellationToken).ConfigureAwait(false);
        return true;
    }, cancellationToken);

    public Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default) =>
        AskAsync(reader => reader.GetStatusAsync(cancellationToken), cancellationToken);

    private (Openings<Opening<ProjectionReader>> Openings, string Name) Place => place.Value;

    private Task<T> AskAsync<T>(Func<ProjectionReader<TState>, Task<T>> ask, CancellationToken cancellationToken) => Place.Openings.AskAsync(
        async opening => await ask(await FindAsync(opening, cancellationToken).ConfigureAwait(false)).ConfigureAwait(false), cancellationToken);

    private IAsyncEnumerable<ProjectionEntry<TState>> ReadAsync(
        Func<ProjectionReader<TState>, IAsyncEnumerable<ProjectionEntry<TState>>> read, CancellationToken cancellationToken) =>
        Place.Openings.ReadAsync(opening => ReadAsync(opening, read, cancellationToken), cancellationToken);

    private async IAsyncEnumerable<ProjectionEntry<TState>> ReadAsync(Opening<ProjectionReader> opening,
        Func<ProjectionReader<TState>, IAsyncEnumerable<ProjectionEntry<TState>>> read, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var reader = await FindAsync(opening, cancellationToken).ConfigureAwait(false);
        await foreach (var state in read(reader).WithCancellation(cancellationToken).ConfigureAwait(false))
            yield return state;
    }

    private async ValueTask<ProjectionReader<TState>> FindAsync(Opening<ProjectionReader> opening, CancellationToken cancellationToken)
    {
        var (name, known) = (Place.Name, found is { } earlier && earlier.Item1 == opening ? earlier : null);
        // After a stop and another start, that of the present run. What a stopped one has written can still be read.
        var running = opening.Running.FirstOrDefault(each => each.Name == name);
        if (known is not null && (running is null || known.Item2 == running))
            return known.Item3;
        var source = await opening.FindAsync(name, cancellationToken).ConfigureAwait(false);
        // States of another type than those that run here are read as JSON.
        var reader = source as ProjectionReader<TState> ?? source.AsJson as ProjectionReader<TState>
            ?? throw new InvalidOperationException($"The projection {name} does not run in this process, so its states cannot be read as "
                + $"{typeof(TState)}. Start it, or read them as JSON: {nameof(ProjectionCollection.Get)}<JsonNode>(\"{name}\").");
        found = Tuple.Create(opening, source, reader);
        return reader;
    }
}
