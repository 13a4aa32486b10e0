namespace Opossum;

/// <summary>
/// An event store in a folder: beside events it has projections, reactions and a status. Inject it where these are needed; rules need an
/// <see cref="IEventStore"/> only.
/// </summary>
public interface IFileSystemEventStore : IEventStore
{
    /// <summary>The projections: their states, how far they are, and what is asked of the process that leads them.</summary>
    ProjectionCollection Projections { get; }

    /// <summary>The reactions: how far they are, and what is asked of the process that leads them.</summary>
    ReactionCollection Reactions { get; }

    /// <summary>Reads the status of the store: its identity, contents and health, for operators, dashboards and support.</summary>
    /// <param name="withSizes">
    /// Whether to measure the files too. This opens every file of the store to read its length: about 10 µs per file on a local disk
    /// under Linux, far longer on a share. Default: false.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <remarks>
    /// The counts come from the index in memory. The call visits all distinct tags and the positions of the listed keys once: a few milliseconds
    /// for a hundred thousand tags. It blocks neither appends nor reads.
    /// </remarks>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    Task<StoreStatus> GetStatusAsync(bool withSizes = false, CancellationToken cancellationToken = default);
}
