using Microsoft.Extensions.Logging;
using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>What following a store's log needs of the store.</summary>
/// <param name="Folder">The folder that holds a folder for each thing that is led.</param>
/// <param name="ThrowIfMoved">
/// Throws a <see cref="FileSystemException"/> when the store's folder is no longer the folder that was opened; never on a share.
/// </param>
/// <param name="CanWrite">Whether the store is open for writing. If not, this process leads nothing.</param>
internal record FollowerHost(IEventStore Store, IFileSystem FileSystem, Volume Volume, string StoreRoot, string Folder,
    TimeProvider Clock, ILogger Logger, Action ThrowIfMoved, bool CanWrite)
{
    /// <summary>
    /// Makes the events up to a position durable, where a process appends without flushing: before anything durable is built on them.
    /// </summary>
    public Action<long> MakeDurable { get; init; } = static _ => { };

    /// <summary>The last position that this process knows.</summary>
    public Func<long> KnownHead { get; init; } = static () => 0;

    /// <summary>Whether a person was forgotten after a position: then earlier errors may have the data.</summary>
    public Func<long, bool> HasForgottenAfter { get; init; } = static _ => false;

    /// <summary>Throws an <see cref="ObjectDisposedException"/> once the store is being closed.</summary>
    public Action ThrowIfClosed { get; init; } = static () => { };

    /// <summary>How often a process that does not lead tries to take the lead, and a leader looks for requests.</summary>
    public TimeSpan TakeOverInterval { get; init; }

    /// <summary>How often a caller looks what other processes have done, and the pause after the first problem.</summary>
    public TimeSpan PollInterval { get; init; }
}
