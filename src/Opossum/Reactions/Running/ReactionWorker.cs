using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Leading;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>Runs a reaction in the background whenever this process leads it.</summary>
internal sealed class ReactionWorker(ReactionHost host, Reaction reaction)
{
    private readonly ReactionLayout layout = new(host.Folder, reaction.Name);
    private bool isTroubled;

    public Reaction Reaction => reaction;

    /// <summary>Runs until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        if (host.CanWrite)
        {
            await new LeadLoop(host.Clock, host.Options.TakeOverInterval, host.Options.PollInterval)
                .RunAsync(TryLeadAsync, e => ReactionLog.LeadLost(host.Logger, reaction.Name, e.Message), NoteTrouble, static () => { },
                    cancellationToken)
                .ConfigureAwait(false);
        }
    }

    private void NoteTrouble(Exception e)
    {
        if (!isTroubled)
            ReactionLog.Troubled(host.Logger, reaction.Name, e);
        isTroubled = true;
    }

    private async Task TryLeadAsync(CancellationToken cancellationToken)
    {
        var term = await ReactionTerm.TryBeginAsync(host, reaction, layout, cancellationToken).ConfigureAwait(false);
        if (term is null)
        {
            isTroubled = false;
            return;
        }
        await using (term.ConfigureAwait(false))
        {
            try
            {
                await LeadAsync(term, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is LeadershipLostException
                || (e is FileSystemException { Error: FileError.NotFound } && term.FindGone() is not null))
            {
                throw new LeadershipLostException(WhyLost(term, e));
            }
        }
    }

    private async Task LeadAsync(ReactionTerm term, CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                cancellationToken.ThrowIfCancellationRequested();
                // Order matters: the signal is taken first, so what handlers do from here on wakes the worker.
                var progress = term.Progressed.Next;
                var wait = await term.FollowAsync(cancellationToken).ConfigureAwait(false);
                isTroubled = false;
                if (wait != TimeSpan.Zero)
                    await WaitAsync(term, wait, progress, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            if (cancellationToken.IsCancellationRequested)
                await term.StopAsync().ConfigureAwait(false);
        }
    }

    // Waits until there is an event, a handler has done something, or the time is over.
    private async Task WaitAsync(ReactionTerm term, TimeSpan wait, Task progress, CancellationToken cancellationToken)
    {
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var delay = Task.Delay(wait, host.Clock, waiting.Token);
        var events = term.WantsEvents ? WaitForEventAsync(term.Covered, waiting.Token) : Timeout(waiting.Token);
        await Task.WhenAny(progress, delay, events).ConfigureAwait(false);
        await waiting.CancelAsync().ConfigureAwait(false);
        await delay.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await events.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private Task Timeout(CancellationToken cancellationToken) =>
        Task.Delay(System.Threading.Timeout.InfiniteTimeSpan, host.Clock, cancellationToken);

    private async Task WaitForEventAsync(long after, CancellationToken cancellationToken)
    {
        await foreach (var _ in host.Store.SubscribeAsync(Query.All, after, cancellationToken).ConfigureAwait(false))
            return;
    }

    private string WhyLost(ReactionTerm term, Exception e)
    {
        if (Array.Find([host.StoreRoot, host.Folder, layout.Root], folder => host.FileSystem.GetKind(folder) == EntryKind.Missing) is { } gone)
            return Gone(gone);
        try
        {
            term.ThrowIfLost();
            // No other process leads, so no other process has renamed the folder.
            return term.FindGone() is { } moved ? Gone(moved) : e.Message;
        }
        catch (LeadershipLostException lost)
        {
            return $"Another process has taken the lead. ({lost.Message})";
        }
    }

    private static string Gone(string folder) => $"{folder} no longer exists: it was deleted or moved.";
}
