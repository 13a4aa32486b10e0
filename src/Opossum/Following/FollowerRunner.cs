namespace Opossum.Following;

/// <summary>Runs followers in the background until it is stopped.</summary>
internal sealed class FollowerRunner : IAsyncDisposable
{
    private readonly FollowerHost host;
    private readonly string kinds;
    private readonly IReadOnlyList<Follower> followers;
    private readonly CancellationTokenSource stopping = new();
    private readonly RequestWatch requests;
    private readonly Task running;
    private readonly Action<FollowerRunner> whenStopped;

    public FollowerRunner(FollowerHost host, string kinds, IReadOnlyList<Follower> followers, Action<FollowerRunner> whenStopped)
    {
        (this.host, this.kinds, this.followers, this.whenStopped) = (host, kinds, followers, whenStopped);
        requests = new RequestWatch(host, followers);
        running = Task.WhenAll(followers.Select(follower => DetachedTask.Run(() => follower.RunAsync(stopping.Token))));
    }

    public string Kinds => kinds;

    public IEnumerable<FollowerReader> Readers => followers.Select(static follower => follower.Reader);

    public IEnumerable<string> Unfinished => followers.Select(static follower => follower.FindUnfinished()).OfType<string>();

    /// <summary>For each that this process leads, how many events up to a head it has not done, and how many are parked.</summary>
    public IEnumerable<(string Name, long Lag, long Parked)> LagsAt(long head) =>
        from follower in followers
        let found = follower.LagAt(head)
        where found is not null
        select (follower.Name, found.Value.Lag, found.Value.Parked);

    public void ThrowIfInsideHandler() => HandlerScope.ThrowIfInside(host, $"Stopping the {kinds} or closing their store");

    /// <summary>Stops them, and gives up the lead.</summary>
    /// <exception cref="InvalidOperationException">The caller is one of the handlers, for which it would wait.</exception>
    public ValueTask DisposeAsync()
    {
        ThrowIfInsideHandler();
        return StopAsync();
    }

    /// <summary>The same for a caller that no handler waits for.</summary>
    public async ValueTask StopAsync()
    {
        requests.Dispose();
        await stopping.CancelAsync().ConfigureAwait(false);
        await running.ConfigureAwait(false);
        whenStopped(this);
    }

    /// <summary>Waits until all have done the events up to a position.</summary>
    public async Task WaitForAsync(long position, CancellationToken cancellationToken)
    {
        foreach (var reader in Readers)
            await reader.WaitForAsync(position, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Checks what is to be started, before anything is.</summary>
    /// <exception cref="ArgumentException">
    /// There is none, one is null, two have the same name, or one handles an event type that the store does not know.
    /// </exception>
    public static List<T> Check<T>(IEnumerable<T> all, string kind, Func<T, string> nameOf, Func<T, Query> queryOf,
        Func<Query, string?>? findUnknown, string parameter)
        where T : class
    {
        var list = all.ToList();
        if (list.Count == 0)
            throw new ArgumentException($"There is no {kind} to start.", parameter);
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var each in list)
        {
            if (each is null)
                throw new ArgumentNullException(parameter, $"One of the {kind}s is null.");
            var name = nameOf(each);
            if (!names.Add(name))
            {
                throw new ArgumentException($"There are two {kind}s with the name {name}, which is also the name of their folder. "
                    + "Give each its own name.", parameter);
            }
            var query = queryOf(each);
            if (findUnknown?.Invoke(query) is { } problem)
            {
                throw new ArgumentException($"The {kind} {name} handles an event type that the store does not know. {problem}", parameter);
            }
        }
        return list;
    }
}
