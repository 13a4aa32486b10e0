using Opossum.Reactions;
using Opossum.Reactions.Running;

namespace Opossum;

/// <summary>Runs reactions. When several processes run the same reaction, one of them leads it and handles its events.</summary>
/// <remarks>
/// Created by <see cref="FileSystemEventStore.StartReactions"/>. Dispose it before the store; otherwise the store disposes it.
/// </remarks>
public sealed class ReactionRunner : IAsyncDisposable, IDisposable
{
    private readonly ReactionWorker[] workers;
    private readonly CancellationTokenSource stopping = new();
    private readonly Task running;
    private readonly Action<ReactionRunner> whenDisposed;

    internal ReactionRunner(ReactionHost host, IEnumerable<Reaction> reactions, Func<Query, string?> findUnknown, Action<ReactionRunner> whenDisposed)
    {
        this.whenDisposed = whenDisposed;
        workers = [.. Check(reactions, findUnknown).Select(each => new ReactionWorker(host, each))];
        running = Task.WhenAll(workers.Select(worker => Task.Run(() => worker.RunAsync(stopping.Token))));
    }

    /// <summary>
    /// Stops the reactions: cancels the handlers that run, waits until they have returned, records what is done, and gives up the lead.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        await stopping.CancelAsync().ConfigureAwait(false);
        await running.ConfigureAwait(false);
        whenDisposed(this);
    }

    /// <inheritdoc cref="DisposeAsync"/>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <summary>Throws unless the reactions can be run; all checks come before the first worker starts.</summary>
    internal static List<Reaction> Check(IEnumerable<Reaction> reactions, Func<Query, string?> findUnknown)
    {
        var list = reactions.ToList();
        if (list.Count == 0)
            throw new ArgumentException("There is no reaction to start.", nameof(reactions));
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var reaction in list)
        {
            if (reaction is null)
                throw new ArgumentNullException(nameof(reactions), "One of the reactions is null.");
            if (!names.Add(reaction.Name))
            {
                throw new ArgumentException($"There are two reactions with the name {reaction.Name}, which is also the name of their folder. "
                    + "Give each its own name.", nameof(reactions));
            }
            if (findUnknown(reaction.Query) is { } problem)
            {
                throw new ArgumentException($"The reaction {reaction.Name} handles an event type that the store does not know. {problem}",
                    nameof(reactions));
            }
        }
        return list;
    }
}
