using Opossum.Following;

namespace Opossum.Running;

/// <summary>The projections and reactions that were started on an open store, until they or the store are disposed.</summary>
internal sealed class StoreRunners
{
    public const string Reactions = "reactions";

    private readonly Lock gate = new();
    private readonly List<FollowerRunner> runners = [];
    private bool isClosed;

    /// <summary>Starts followers; see <see cref="FollowerRunner"/>.</summary>
    /// <exception cref="ObjectDisposedException">The store is disposed.</exception>
    public FollowerRunner Start(FollowerHost host, string kinds, IReadOnlyList<Follower> followers)
    {
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(isClosed, typeof(IEventStore));
            var runner = new FollowerRunner(host, kinds, followers, Forget);
            runners.Add(runner);
            return runner;
        }
    }

    /// <summary>
    /// For each projection or reaction that this process leads, how many events up to a head it has not done, and how many are parked.
    /// </summary>
    public IEnumerable<(string Name, long Lag, long Parked)> LagsAt(long head, bool ofReactions) =>
        Copy().Where(runner => Reacts(runner) == ofReactions).SelectMany(runner => runner.LagsAt(head));

    /// <summary>Waits until all have handled the events up to a position.</summary>
    public async Task WaitForAsync(long position, CancellationToken cancellationToken)
    {
        foreach (var runner in Copy().OrderBy(Reacts))
            await runner.WaitForAsync(position, cancellationToken).ConfigureAwait(false);
    }

    public IEnumerable<T> ReadersOf<T>()
        where T : FollowerReader =>
        Copy().SelectMany(static runner => runner.Readers).OfType<T>();

    /// <exception cref="ObjectDisposedException">The store is being closed.</exception>
    public void ThrowIfClosed() => ObjectDisposedException.ThrowIf(Volatile.Read(ref isClosed), typeof(IEventStore));

    /// <summary>Starts none from now on.</summary>
    public void Close()
    {
        lock (gate)
            isClosed = true;
    }

    public IEnumerable<string> Unfinished => Copy().OrderByDescending(Reacts).SelectMany(static runner => runner.Unfinished);

    public void ThrowIfInsideHandler() => Array.ForEach(Copy(), static runner => runner.ThrowIfInsideHandler());

    /// <summary>Disposes those that run. Reactions first: projections handle what they have appended.</summary>
    public Task DisposeAsync()
    {
        // Without an asynchronous method, which the runtime would compile when a program ends.
        var running = Copy();
        return running.Length == 0 ? Task.CompletedTask : DisposeAsync(running);
    }

    private static async Task DisposeAsync(FollowerRunner[] running)
    {
        foreach (var runner in running.OrderByDescending(Reacts))
            await runner.StopAsync().ConfigureAwait(false);
    }

    private static bool Reacts(FollowerRunner runner) => runner.Kinds == Reactions;

    private void Forget(FollowerRunner runner)
    {
        lock (gate)
            runners.Remove(runner);
    }

    private FollowerRunner[] Copy()
    {
        lock (gate)
            return [.. runners];
    }
}
