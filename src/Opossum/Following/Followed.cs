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

    /// <inheritdoc cref="FollowerReader.WaitForAsync"/>
    public Task WaitForAsync(long position, CancellationToken cancellationToken) =>
        DoAsync(reader => reader.WaitForAsync(position, cancellationToken), cancellationToken);

    /// <inheritdoc cref="FollowerReader.SendAsync"/>
    public Task SendAsync(LeaderRequest request, bool wait, CancellationToken cancellationToken) =>
        DoAsync(reader => reader.SendAsync(request, wait, cancellationToken), cancellationToken);

    private Task<bool> DoAsync(Func<TReader, Task> work, CancellationToken cancellationToken) => AskAsync(async reader =>
    {
        await work(reader).ConfigureAwait(false);
        return true;
    }, cancellationToken);
}
