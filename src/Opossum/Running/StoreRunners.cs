using Opossum.Projections;
using Opossum.Reactions;

namespace Opossum.Running;

/// <summary>The projections and reactions that were started on an open store, until they or the store are disposed.</summary>
internal sealed class StoreRunners
{
    private readonly Lock gate = new();
    private readonly List<ProjectionRunner> projectionRunners = [];
    private readonly List<ReactionRunner> reactionRunners = [];
    private bool isClosed;

    /// <summary>Starts projections.</summary>
    /// <exception cref="ObjectDisposedException">The store is disposed.</exception>
    public ProjectionRunner Start(ProjectionHost host, IEnumerable<Projection> projections, EventTypeRegistry types)
    {
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(isClosed, typeof(IEventStore));
            var runner = new ProjectionRunner(host, projections, types, disposed => Forget(projectionRunners, disposed));
            projectionRunners.Add(runner);
            return runner;
        }
    }

    /// <summary>Starts reactions.</summary>
    /// <exception cref="ObjectDisposedException">The store is disposed.</exception>
    public ReactionRunner Start(ReactionHost host, IEnumerable<Reaction> reactions, EventTypeRegistry types)
    {
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(isClosed, typeof(IEventStore));
            var runner = new ReactionRunner(host, reactions, types.FindUnknown, disposed => Forget(reactionRunners, disposed));
            reactionRunners.Add(runner);
            return runner;
        }
    }

    /// <summary>The projections that this process leads, and how many events up to a head their states lack.</summary>
    public IEnumerable<(string Name, long Lag)> ProjectionLagsAt(long head) => Copy(projectionRunners).SelectMany(runner => runner.LagsAt(head));

    /// <summary>The reactions that this process leads, how many events up to a head they have not handled, and how many are parked.</summary>
    public IEnumerable<(string Name, long Lag, long Parked)> ReactionLagsAt(long head) =>
        Copy(reactionRunners).SelectMany(runner => runner.LagsAt(head));

    /// <summary>Waits until all have handled the events up to a position.</summary>
    public async Task WaitForAsync(long position, CancellationToken cancellationToken)
    {
        foreach (var runner in Copy(projectionRunners))
            await runner.WaitForAsync(position, cancellationToken).ConfigureAwait(false);
        foreach (var runner in Copy(reactionRunners))
            await runner.WaitForAsync(position, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Starts none from now on.</summary>
    public void Close()
    {
        lock (gate)
            isClosed = true;
    }

    /// <summary>What has not stopped yet.</summary>
    public IEnumerable<string> Unfinished => Copy(reactionRunners).SelectMany(static runner => runner.Unfinished)
        .Concat(Copy(projectionRunners).SelectMany(static runner => runner.Unfinished));

    /// <summary>Throws inside of a handler of a runner.</summary>
    public void ThrowIfInsideHandler()
    {
        Array.ForEach(Copy(projectionRunners), static runner => runner.ThrowIfInsideHandler());
        Array.ForEach(Copy(reactionRunners), static runner => runner.ThrowIfInsideHandler());
    }

    /// <summary>Disposes those that run. Reactions first: projections handle what they have appended.</summary>
    public Task DisposeAsync()
    {
        // Without an asynchronous method, which the runtime would compile when a program ends.
        var (projections, reactions) = (Copy(projectionRunners), Copy(reactionRunners));
        return projections.Length + reactions.Length == 0 ? Task.CompletedTask : DisposeAsync(projections, reactions);
    }

    private static async Task DisposeAsync(ProjectionRunner[] projections, ReactionRunner[] reactions)
    {
        foreach (var runner in reactions)
            await runner.StopAsync().ConfigureAwait(false);
        foreach (var runner in projections)
            await runner.StopAsync().ConfigureAwait(false);
    }

    private void Forget<T>(List<T> runners, T runner)
    {
        lock (gate)
            runners.Remove(runner);
    }

    private T[] Copy<T>(List<T> runners)
    {
        lock (gate)
            return [.. runners];
    }
}
