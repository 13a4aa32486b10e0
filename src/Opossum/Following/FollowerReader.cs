using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>
/// What callers in any process see of something that follows the log, and their way to its leader: files, and signals where this process runs it.
/// </summary>
internal abstract class FollowerReader(FollowerHost host, string kind, string name, LedFolder folder, FollowerSignals signals, FileWork work)
{
    public string Name => name;

    /// <summary>The signals between it and the follower.</summary>
    protected FollowerSignals Signals => signals;

    /// <summary>Work on its files for a caller's thread.</summary>
    protected FileWork Work => work;

    /// <summary>Waits until every event up to a position is done.</summary>
    public async Task WaitForAsync(long position, CancellationToken cancellationToken = default)
    {
        var isWanted = false;
        try
        {
            while (true)
            {
                // The signal is taken first, so work that completes from here on wakes this waiter.
                var done = signals.Done.Next;
                cancellationToken.ThrowIfCancellationRequested();
                if (position <= 0 || await HasDoneAsync(position, cancellationToken).ConfigureAwait(false))
                    return;
                ThrowIfStopped();
                if (!isWanted)
                    signals.Want(position);
                isWanted = true;
                await work.PollAsync(done, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            if (isWanted)
                signals.EndWant(position);
        }
    }

    /// <summary>Writes a request to the leader, in whichever process it is.</summary>
    /// <param name="request">The request.</param>
    /// <param name="wait">Whether the caller waits then until the leader has carried it out.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written.</param>
    /// <exception cref="NotSupportedException">The store is open for reading only.</exception>
    /// <exception cref="StoreIOException">The request could not be written.</exception>
    public async Task SendAsync(LeaderRequest request, bool wait, CancellationToken cancellationToken)
    {
        ThrowIfStopped();
        if (wait && StopsHandlers(request))
            HandlerScope.ThrowIfInside(host, $"A request to the {kind} {name}", $"the {kind} {name}");
        // First: a store that is open for reading only says too whether the request can be carried out at all.
        await CheckAsync(request, cancellationToken).ConfigureAwait(false);
        if (!host.CanWrite)
        {
            throw new NotSupportedException($"The store in {host.StoreRoot} is open for reading only. To send a request to the {kind} {name}, open "
                + $"the store with {nameof(OpossumOptions)}.{nameof(OpossumOptions.ReadOnly)} = false.");
        }
        await work.DoAsync(() => Write(request), cancellationToken).ConfigureAwait(false);
        signals.Request();
    }

    /// <summary>Waits until the leader has carried out a request that was sent.</summary>
    public async Task WaitForAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        while (true)
        {
            var done = signals.Done.Next;
            if (!await IsOpenAsync(request, cancellationToken).ConfigureAwait(false))
                return;
            ThrowIfStopped();
            await work.PollAsync(done, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Lists the names of the folders in a host's folder that are its followers', in ordinal order.</summary>
    protected static IReadOnlyList<string> List(FollowerHost host, Func<string, bool> isFollower) =>
        [.. host.FileSystem.ListOwn(host.Folder).Where(isFollower).Order(StringComparer.Ordinal)];

    /// <summary>Looks at files, or returns something else if they cannot be read, which is a problem then.</summary>
    protected T LookOr<T>(T otherwise, Func<T> look, ref FollowerProblem? problem)
    {
        try
        {
            return look();
        }
        catch (FileSystemException e)
        {
            problem ??= new FollowerProblem { Error = e.Message, Since = host.Clock.GetUtcNow() };
            return otherwise;
        }
    }

    /// <summary>The number of open requests.</summary>
    protected int CountRequests() => LeaderRequest.List(host.FileSystem, folder).Count;

    /// <summary>Whether every event up to a position is done.</summary>
    protected abstract Task<bool> HasDoneAsync(long position, CancellationToken cancellationToken);

    /// <summary>Refuses a request that cannot be carried out.</summary>
    /// <exception cref="InvalidOperationException">It cannot.</exception>
    protected abstract Task CheckAsync(LeaderRequest request, CancellationToken cancellationToken);

    /// <summary>Whether the leader waits for the handlers that run before it carries out a request.</summary>
    protected abstract bool StopsHandlers(LeaderRequest request);

    /// <summary>Whether the leader has not carried out a request yet.</summary>
    protected virtual Task<bool> IsOpenAsync(LeaderRequest request, CancellationToken cancellationToken) =>
        work.DoAsync(() => LeaderRequest.IsOpen(host.FileSystem, folder, request.Id), cancellationToken);

    private bool Write(LeaderRequest request)
    {
        try
        {
            request.Write(host, folder);
            return true;
        }
        catch (FileSystemException e)
        {
            throw new StoreIOException(e.Path, $"No request was sent to the {kind} {name}. {e.Message} Fix the cause and try again.", e);
        }
    }

    private void ThrowIfStopped()
    {
        if (signals.IsElsewhere)
        {
            host.ThrowIfClosed();
            host.ThrowIfGivenUp(name);
        }
        if (signals.IsStopped)
            throw new ObjectDisposedException($"the {kind} {name}", $"The {kind} {name} has stopped in this process.");
    }
}
