using Opossum.Following;
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
    private readonly Func<ReactionHost> getHost;

    /// <param name="getHost">Returns the environment of the store's present opening.</param>
    internal StoredReactions(Func<ReactionHost> getHost) => this.getHost = getHost;

    /// <summary>Lists the names of the reactions that have begun, in ordinal order.</summary>
    /// <param name="cancellationToken">Cancels the call before it reads.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public Task<IReadOnlyList<string>> ListAsync(CancellationToken cancellationToken = default) =>
        StoredReactionReader.ListAsync(getHost(), cancellationToken);

    /// <summary>Reads the status of a reaction.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async Task<StoredReaction> GetAsync(string name, CancellationToken cancellationToken = default) =>
        await (await FindAsync(name, cancellationToken).ConfigureAwait(false)).ReadAsync(cancellationToken).ConfigureAwait(false);

    /// <summary>Reads what is known of the parked events of a reaction, in ascending order of their positions.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(string name, CancellationToken cancellationToken = default) =>
        ReadParkedAsync(name, 0, int.MaxValue, cancellationToken);

    /// <summary>Reads what is known of some of the parked events of a reaction, in ascending order of their positions.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="after">The position after which they are; 0: from the first one on.</param>
    /// <param name="max">How many are read at most. If there are fewer, there are no further ones.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is not positive.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(string name, long after, int max, CancellationToken cancellationToken = default) =>
        ReadAsync(name, max, reader => reader.ReadParkedAsync(after, max, cancellationToken), cancellationToken);

    /// <summary>Reads some of the records of skipped events of a reaction, in ascending order of the events' positions.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="after">The position after which they are. 0, the default: from the first one on.</param>
    /// <param name="max">How many are read at most. If there are fewer, there are no further ones. Default: 100.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <inheritdoc cref="ReadParkedAsync(string, long, int, CancellationToken)" path="/exception"/>
    public Task<IReadOnlyList<SkippedEvent>> ReadSkippedAsync(string name, long after = 0, int max = 100,
        CancellationToken cancellationToken = default) =>
        ReadAsync(name, max, reader => reader.ReadSkippedAsync(after, max, cancellationToken), cancellationToken);

    /// <summary>Reads some of the events that a reaction has scheduled, in the order of their times.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="after">The <see cref="ScheduledEvent.Name"/> after which they are. Null, the default: from the first one on.</param>
    /// <param name="max">How many are read at most. If there are fewer, there are no further ones. Default: 100.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <inheritdoc cref="ReadParkedAsync(string, long, int, CancellationToken)" path="/exception"/>
    public Task<IReadOnlyList<ScheduledEvent>> ReadScheduledAsync(string name, string? after = null, int max = 100,
        CancellationToken cancellationToken = default) =>
        ReadAsync(name, max, reader => reader.ReadScheduledAsync(after, max, cancellationToken), cancellationToken);

    /// <summary>
    /// Requests that a parked event is retried, and does not wait for it. The process that leads the reaction carries it out; if none does now, the
    /// one that leads it next.
    /// </summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name.</exception>
    /// <exception cref="InvalidOperationException">The event is not parked.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
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
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RequestSkipAsync(string name, long position, string reason, CancellationToken cancellationToken = default) =>
        RequestAsync(name, LeaderRequest.Skip(position, reason), cancellationToken);

    /// <summary>Requests that the events after a position are handled again; as <see cref="RequestRetryAsync"/>.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="after">The position, from 0 to the store's head, which handles nothing again.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written.</param>
    /// <exception cref="ArgumentException">The store has no reaction of that name, or it has no such position.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RequestHandleAgainAsync(string name, long after, CancellationToken cancellationToken = default) =>
        RequestAsync(name, new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, after + 1), cancellationToken);

    private async Task<T> ReadAsync<T>(string name, int max, Func<StoredReactionReader, Task<T>> read, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(max);
        return await read(await FindAsync(name, cancellationToken).ConfigureAwait(false)).ConfigureAwait(false);
    }

    private async Task RequestAsync(string name, LeaderRequest request, CancellationToken cancellationToken) =>
        await (await FindAsync(name, cancellationToken).ConfigureAwait(false)).WriteAsync(request, cancellationToken).ConfigureAwait(false);

    // A name that is not listed is no folder's name, so nothing is read or written outside the reactions' folder.
    private async Task<StoredReactionReader> FindAsync(string name, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(name);
        var host = getHost();
        var names = await StoredReactionReader.ListAsync(host, cancellationToken).ConfigureAwait(false);
        return names.Contains(name, StringComparer.Ordinal)
            ? new StoredReactionReader(host, name)
            : throw new ArgumentException($"The store in {host.StoreRoot} has no reaction {NameRules.Quote(name)}. "
                + $"{(names.Count == 0 ? "It has none." : $"It has: {string.Join(", ", names)}.")}", nameof(name));
    }
}
