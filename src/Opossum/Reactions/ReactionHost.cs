using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Opossum.FileSystem;
using Opossum.Leading;

namespace Opossum.Reactions;

/// <summary>The shared environment of a runner's reactions.</summary>
/// <param name="Store">The events.</param>
/// <param name="Appends">The appends that count once.</param>
/// <param name="FileSystem">The store's file system.</param>
/// <param name="Volume">The properties of the file system.</param>
/// <param name="StoreRoot">The store's folder.</param>
/// <param name="Folder">The folder that holds a folder for each reaction.</param>
/// <param name="Clock">The clock.</param>
/// <param name="Logger">The log.</param>
/// <param name="Options">The options; they no longer change.</param>
/// <param name="ThrowIfMoved">
/// Throws a <see cref="FileSystemException"/> when the store's folder is no longer the folder that was opened; never on a share.
/// </param>
/// <param name="CanWrite">Whether the store is open for writing. If not, this process handles nothing.</param>
/// <param name="Head">The head when the reactions were started.</param>
internal sealed record ReactionHost(IEventStore Store, ReactionAppends Appends, IFileSystem FileSystem, Volume Volume, string StoreRoot,
    string Folder, TimeProvider Clock, ILogger Logger, ReactionOptions Options, Action ThrowIfMoved, bool CanWrite, long Head)
    : LeadHost(FileSystem, Volume, StoreRoot, Folder, Clock, ThrowIfMoved)
{
    /// <summary>
    /// Makes the events up to a position durable, where a process appends without flushing: before anything durable is built on them.
    /// </summary>
    public Action<long> MakeDurable { get; init; } = static _ => { };

    /// <summary>Throws if the store accepts no appends until it is opened again.</summary>
    public Action ThrowIfFaulted { get; init; } = static () => { };

    /// <summary>Starts a worker: on the pool, or, where every operation must have its place, on the caller's thread.</summary>
    public Func<Func<Task>, Task> Start { get; init; } = static work => Task.Run(work);

    /// <summary>Creates the scopes of events; null outside of an app's host.</summary>
    public IServiceScopeFactory? Scopes { get; init; }

    /// <summary>How many events are taken at a time.</summary>
    public ReactionSizes Sizes { get; init; } = new();

    /// <summary>Chooses the jitter of pauses.</summary>
    public Random Random { get; init; } = Random.Shared;
}
