using Opossum.Reactions;
using Opossum.Reactions.Files;
using Opossum.Reactions.Running;
using Opossum.Testing.Given;
using Opossum.Testing.Simulated;

namespace Opossum.Testing.Reacting;

/// <summary>A process that runs a reaction on a simulated disk, step by step.</summary>
internal sealed class ReactionProcess : IAsyncDisposable
{
    // Handlers run on the caller's thread as far as they do not wait for anything real.
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(10);

    private static readonly ReactionOptions options = new() { MaxConcurrency = 1, WriteInterval = TimeSpan.Zero, RetryDelay = TimeSpan.Zero };

    private readonly FileSystemEventStore store;
    private readonly ReactionHost host;
    private readonly Reaction user;
    private ReactionTerm? term;

    public ReactionProcess(ReactionSetting setting, SimulatedFileSystem client, CrashSteps steps, long firstPosition, List<ReactionCall> calls)
    {
        client.BeforeOperation = operation =>
        {
            if (operation.Changes)
                steps.Pass(operation.ToString());
        };
        store = FileSystemEventStore.Open(setting.Options, client, ReactionSetting.Root, create: false, isInMemory: true);
        Watched = new WatchedStore(store, setting.Clock, () => Reaction?.Current is not null);
        user = setting.Create(Watched, new ReactionCalls(steps, () => Reaction?.Current, calls.Add));
        Reaction = new WatchedReaction(user, firstPosition, steps);
        host = store.ReactionHost(options) with
        {
            Store = Watched,
            Start = static work => work(),
        };
    }

    /// <summary>The store, which notes what handlers read.</summary>
    public WatchedStore Watched { get; }

    public Query Query => user.Query;

    public WatchedReaction Reaction { get; }

    /// <summary>Whether the reaction has scheduled an event, for a later time.</summary>
    public bool HasScheduled { get; private set; }

    /// <summary>Handles all that there is to handle, or until an event has failed for good.</summary>
    public async Task RunAsync()
    {
        term ??= await ReactionTerm.TryBeginAsync(host, Reaction, new ReactionLayout(host.Folder, Reaction.Name), CancellationToken.None)
            .ConfigureAwait(false) ?? throw new InvalidOperationException("Another process leads the reaction.");
        while (Reaction.Failure is null)
        {
            // The signal is taken first, so what handlers do from here on ends the wait.
            var progressed = term.Progressed.Next;
            var wait = await term.FollowAsync(CancellationToken.None).ConfigureAwait(false);
            HasScheduled |= term.Due > 0;
            if (term is { IsCaughtUp: true, Open: 0, IsAnyDue: false })
                return;
            if (term.Problem is { } problem)
                throw new TestFailedException(problem.Error);
            if (wait != TimeSpan.Zero && Reaction.Current is { } current)
                await WaitAsync(progressed, current).ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (term is not null)
            await term.DisposeAsync().ConfigureAwait(false);
        await store.DisposeAsync().ConfigureAwait(false);
    }

    private static async Task WaitAsync(Task progressed, ReactionContext current)
    {
        try
        {
            await progressed.WaitAsync(patience).ConfigureAwait(false);
        }
        catch (TimeoutException e)
        {
            throw new TestFailedException($"The handler of {EventText.Of(current.Event)} has not returned after {patience.TotalSeconds} s. Timers of "
                + "the test's clock do not fire while a handler waits for them.", e);
        }
    }
}
