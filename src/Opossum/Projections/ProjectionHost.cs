using Microsoft.Extensions.Logging;
using Opossum.FileSystem;
using Opossum.Leading;

namespace Opossum.Projections;

/// <summary>The shared environment of a runner's projections.</summary>
/// <param name="Store">The events.</param>
/// <param name="FileSystem">The store's file system.</param>
/// <param name="Volume">The properties of the file system.</param>
/// <param name="StoreRoot">The store's folder.</param>
/// <param name="Folder">The folder that holds a folder for each projection.</param>
/// <param name="Clock">The clock.</param>
/// <param name="Logger">The log.</param>
/// <param name="Options">The options; they no longer change.</param>
/// <param name="ThrowIfMoved">
/// Throws a <see cref="FileSystemException"/> when the store's folder is no longer the folder that was opened; never on a share.
/// </param>
/// <param name="Sealer">Encrypts the personal values of states.</param>
/// <param name="CanWrite">Whether the store is open for writing. If not, this process only reads the states that other processes keep up to
/// date.</param>
internal sealed record ProjectionHost(IEventStore Store, IFileSystem FileSystem, Volume Volume, string StoreRoot, string Folder, TimeProvider Clock,
    ILogger Logger, ProjectionOptions Options, Action ThrowIfMoved, IStateSealer Sealer, bool CanWrite)
    : LeadHost(FileSystem, Volume, StoreRoot, Folder, Clock, ThrowIfMoved)
{
    /// <summary>
    /// Makes the events up to a position durable, where a process appends without flushing: before anything durable is built on them.
    /// </summary>
    public Action<long> MakeDurable { get; init; } = static _ => { };

    /// <summary>The sizes of pages of stored states.</summary>
    public StatePageSizes Pages { get; init; } = new();
}
