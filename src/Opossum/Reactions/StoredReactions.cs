using Opossum.Leading;
using Opossum.Reactions;
using Opossum.Reactions.Reading;

namespace Opossum;

/// <summary>
/// The reactions that have begun on a store, for a process that does not run them, such as a tool: it reads their status and their parked events,
/// and sends requests to the process that runs them.
/// </summary>
/// <example><code>
/// foreach (var name in await store.StoredReactions.ListAsync())
///     Console.WriteLine($"{name}: {(await store.StoredReactions.GetAsync(name)).Parked.Count} parked events");
/// </code></example>
public sealed class StoredReactions
{
    private readonly ReactionHost host;

    internal StoredReactions(ReactionHost host) => this.host = host;

    /// <summary>Lists the names of the reactions that have begun, in ordinal order.</summary>
    /// <param name="cancellationToken">Cancels the call before it reads.</param>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; a later call may succeed.</exception>
    public Task<IReadOnlyList<string>> ListAsync(CancellationToken cancellationToken = default) =>
        StoredReactionReader.ListAsync(host, cancellationToken);

    /// <summary>Reads the status of a reaction.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name.</exception>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async Task<StoredReaction> GetAsync(string name, CancellationToken cancellationToken = default) =>
        await (await FindAsync(name, cancellationToken).ConfigureAwait(false)).ReadAsync(cancellationToken).ConfigureAwait(false);

    /// <summary>Reads what is known of the parked events of a reaction, in ascending order of their positions.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name.</exception>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(string name, CancellationToken cancellationToken = default) =>
        await (await FindAsync(name, cancellationToken).ConfigureAwait(false)).ReadParkedAsync(cancellationToken).ConfigureAwait(false);

    /// <summary>
    /// Requests that a parked event is retried, and does not wait for it. The process that leads the reaction carries it out; if none does now, the
    /// one that leads it next.
    /// </summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name.</exception>
    /// <exception cref="InvalidOperationException">The event is not parked.</exception>
    /// <exception cref="StoreWriteException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RequestRetryAsync(string name, long position, CancellationToken cancellationToken = default) =>
        RequestAsync(name, new LeaderRequest(Guid.NewGuid(), RequestKind.Retry, position), cancellationToken);

    /// <summary>Requests that a parked event is skipped permanently; as <see cref="RequestRetryAsync"/>.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="reason">The reason, for the record, at most 4,000 characters.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name, or the reason is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">The event is not parked.</exception>
    /// <exception cref="StoreWriteException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RequestSkipAsync(string name, long position, string reason, CancellationToken cancellationToken = default) =>
        RequestAsync(name, LeaderRequest.Skip(position, reason), cancellationToken);

    /// <summary>Requests that the events from a position on are handled again; as <see cref="RequestRetryAsync"/>.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="fromPosition">The position, from 1 to the one after the store's head; that one handles nothing again.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name, or it has no such position.</exception>
    /// <exception cref="StoreWriteException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RequestHandleAgainAsync(string name, long fromPosition, CancellationToken cancellationToken = default) =>
        RequestAsync(name, new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, fromPosition), cancellationToken);

    private async Task RequestAsync(string name, LeaderRequest request, CancellationToken cancellationToken) =>
        await (await FindAsync(name, cancellationToken).ConfigureAwait(false)).WriteAsync(request, cancellationToken).ConfigureAwait(false);

    // A name that is not listed is no folder's name, so nothing is read or written outside the reactions' folder.
    private async Task<StoredReactionReader> FindAsync(string name, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(name);
        var names = await ListAsync(cancellationToken).ConfigureAwait(false);
        return names.Contains(name, StringComparer.Ordinal)
            ? new StoredReactionReader(host, name)
            : throw new ArgumentException($"The store in {host.StoreRoot} has no reaction {NameRules.Quote(name)}. "
                + $"{(names.Count == 0 ? "It has none." : $"It has: {string.Join(", ", names)}.")}", nameof(name));
    }
}
