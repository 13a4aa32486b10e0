namespace Opossum.Following;

/// <summary>One of what follows a store's log, by its name, whichever process runs it.</summary>
internal sealed class Followed<TReader>(Openings<Opening<TReader>> openings, string name)
    where TReader : FollowerReader
{
    public string Name => name;

    /// <summary>Asks its reader in the store's present opening.</summary>
    /// <exception cref="InvalidOperationException">The store has none of that name.</exception>
    public Task<T> AskAsync<T>(Func<TReader, Task<T>> ask, CancellationToken cancellationToken) => openings.AskAsync(
        async opening => await ask(await opening.FindAsync(name, cancellationToken).ConfigureAwait(false)).ConfigureAwait(false), cancellationToken);

    /// <inheritdoc cref="FollowerReader.WaitForAsync(long, CancellationToken)"/>
    public Task WaitForAsync(long position, CancellationToken cancellationToken) =>
        DoAsync(reader => reader.WaitForAsync(position, cancellationToken), cancellationToken);

    /// <summary>Sends the leader, in whichever process it is, a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="wait">Whether to wait until the leader has carried it out.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written, and then the wait.</param>
    public Task SendAsync(LeaderRequest request, bool wait, CancellationToken cancellationToken)
    {
        var isSent = false;
        return DoAsync(async reader =>
        {
            // The leader that another opening asks may have carried it out since.
            if (!isSent)
                await reader.SendAsync(request, wait, cancellationToken).ConfigureAwait(false);
            isSent = true;
            if (wait)
                await reader.WaitForAsync(request, cancellationToken).ConfigureAwait(false);
        }, cancellationToken);
    }

    private Task<bool> DoAsync(Func<TReader, Task> work, CancellationToken cancellationToken) => AskAsync(async reader =>
    {
        await work(reader).ConfigureAwait(false);
        return true;
    }, cancellationToken);
}
