using Opossum.Following;
using Opossum.Reactions.Reading;

namespace Opossum;

/// <summary>
/// A reaction of a store, in any process: one that runs it, or a tool. What is asked of it is done by the process that leads it, at once if that is
/// this one; otherwise it is sent there, and stays until a process leads.
/// </summary>
/// <remarks>
/// <see cref="ReactionCollection"/> returns it. Each call throws an <see cref="InvalidOperationException"/> if the store has no reaction of that
/// name, and a <see cref="StoreIOException"/> if the disk or the share cannot be read or written; a later call may succeed.
/// </remarks>
/// <example><code>
/// var mails = store.Reactions["welcome-mails"];
/// foreach (var parked in await mails.ReadParkedAsync())
///     await mails.RetryAsync(parked.Position);
/// </code></example>
public sealed class ReactionHandle
{
    private readonly Followed<ReactionReader> reaction;

    internal ReactionHandle(Followed<ReactionReader> reaction) => this.reaction = reaction;

    /// <summary>The reaction's name.</summary>
    public string Name => reaction.Name;

    /// <summary>Reads the status.</summary>
    /// <param name="cancellationToken">Cancels the call.</param>
    public Task<ReactionStatus> GetStatusAsync(CancellationToken cancellationToken = default) =>
        reaction.AskAsync(reader => reader.GetStatusAsync(cancellationToken), cancellationToken);

    /// <summary>
    /// Waits until every event up to a position is handled, is parked, or waits for a parked event of its key, which may be for long.
    /// </summary>
    /// <param name="position">The position. For one beyond the head the call waits until that event is appended.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="InvalidOperationException">The reaction is halted.</exception>
    /// <exception cref="ObjectDisposedException">The reaction was stopped in this process, or the store was closed.</exception>
    public Task WaitForAsync(long position, CancellationToken cancellationToken = default) =>
        reaction.WaitForAsync(position, cancellationToken);

    /// <summary>Reads what is known of some of the parked events, in ascending order of their positions.</summary>
    /// <param name="after">The position after which they are. 0, the default: from the first one on.</param>
    /// <param name="max">How many are read at most. If there are fewer, there are no further ones. Default: all.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is not positive.</exception>
    public Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(long after = 0, int max = int.MaxValue, CancellationToken cancellationToken = default) =>
        ReadAsync(max, reader => reader.ReadParkedAsync(after, max, cancellationToken), cancellationToken);

    /// <summary>Reads some of the records of skipped events, in ascending order of the events' positions.</summary>
    /// <inheritdoc cref="ReadParkedAsync"/>
    public Task<IReadOnlyList<ParkedEvent>> ReadSkippedAsync(long after = 0, int max = int.MaxValue,
        CancellationToken cancellationToken = default) =>
        ReadAsync(max, reader => reader.ReadSkippedAsync(after, max, cancellationToken), cancellationToken);

    /// <summary>Reads some of the scheduled events, in the order of their times.</summary>
    /// <param name="after">The <see cref="ScheduledEvent.Name"/> after which they are. Null, the default: from the first one on.</param>
    /// <param name="max">How many are read at most. If there are fewer, there are no further ones. Default: all.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is not positive.</exception>
    public Task<IReadOnlyList<ScheduledEvent>> ReadScheduledAsync(string? after = null, int max = int.MaxValue,
        CancellationToken cancellationToken = default) =>
        ReadAsync(max, reader => reader.ReadScheduledAsync(after, max, cancellationToken), cancellationToken);

    /// <summary>
    /// Retries a parked event: it is handled again, and the events of its key that wait for it after it. One that the reaction does not handle any
    /// more is skipped.
    /// </summary>
    /// <param name="position">The event's position.</param>
    /// <param name="wait">Whether to wait until the leading process has given it to the handler. Default: true.</param>
    /// <param name="cancellationToken">Cancels the call, and not the request once it is sent.</param>
    /// <exception cref="InvalidOperationException">The event is not parked, or the reaction is halted.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RetryAsync(long position, bool wait = true, CancellationToken cancellationToken = default) =>
        reaction.SendAsync(new LeaderRequest(Guid.NewGuid(), RequestKind.Retry, position), wait, cancellationToken);

    /// <summary>
    /// Skips a parked event: it is not handled again, and the events of its key that wait for it are. The skip is recorded permanently in the
    /// reaction's folder.
    /// </summary>
    /// <param name="position">The event's position.</param>
    /// <param name="reason">The reason, for the record, at most 4,000 characters.</param>
    /// <param name="wait">Whether to wait until the leading process has recorded it. Default: true.</param>
    /// <param name="cancellationToken">Cancels the call, and not the request once it is sent.</param>
    /// <exception cref="ArgumentException">The reason is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">The event is not parked, or the reaction is halted.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task SkipAsync(long position, string reason, bool wait = true, CancellationToken cancellationToken = default) =>
        reaction.SendAsync(LeaderRequest.Skip(position, reason), wait, cancellationToken);

    /// <summary>
    /// Handles the events after a position again, the parked ones among them too, or continues after it where the reaction is halted. Handlers see
    /// by <see cref="ReactionContext.Attempt"/> that an event was handled before; what they have appended through their context is not appended
    /// again.
    /// </summary>
    /// <param name="after">The position, from 0 to the store's head, which handles nothing again.</param>
    /// <param name="wait">Whether to wait until the leading process has recorded it. Default: true.</param>
    /// <param name="cancellationToken">Cancels the call, and not the request once it is sent.</param>
    /// <exception cref="ArgumentException">The store has no such position.</exception>
    /// <exception cref="InvalidOperationException">The caller is a handler of the reaction, for which it would wait.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task HandleAgainAsync(long after, bool wait = true, CancellationToken cancellationToken = default) =>
        reaction.SendAsync(new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, after + 1), wait, cancellationToken);

    private async Task<T> ReadAsync<T>(int max, Func<ReactionReader, Task<T>> read, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(max);
        return await reaction.AskAsync(read, cancellationToken).ConfigureAwait(false);
    }
}
