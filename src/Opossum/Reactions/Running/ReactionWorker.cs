using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Leading;
using Opossum.Reactions.Files;
using Opossum.Reactions.Reading;

namespace Opossum.Reactions.Running;

/// <summary>Runs a reaction in the background whenever this process leads it.</summary>
internal sealed class ReactionWorker(ReactionHost host, Reaction reaction)
{
    // How late a scheduled event can be after the machine's clock was set.
    private static readonly TimeSpan clockInterval = TimeSpan.FromSeconds(10);

    private readonly ReactionLayout layout = new(host.Folder, reaction.Name);
    private readonly ReactionSignals signals = new();
    private readonly StoredReactionReader stored = new(host, reaction.Name);
    private volatile ReactionTerm? leading;

    public Reaction Reaction => reaction;

    /// <summary>Its folder, and what wakes it.</summary>
    public (LedFolder Folder, LeadSignals Signals) Watched => (layout, signals);

    /// <summary>How far the reaction is, without asking the disk; null: this process does not lead.</summary>
    public ReactionProgress? Progress => signals.Progress;

    /// <summary>What has not stopped yet; null: everything has.</summary>
    public string? FindUnfinished() => signals.IsStopped ? null
        : leading?.FindHandled() is [_, ..] positions
            ? $"the reaction {reaction.Name} is still handling the event at position {string.Join(", ", positions)}"
            : $"the reaction {reaction.Name} is still running";

    /// <summary>Runs until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await new LeadLoop(host.Clock, host.Options.TakeOverInterval, host.Options.PollInterval)
            .RunAsync(TryLeadAsync, e => ReactionLog.LeadLost(host.Logger, reaction.Name, e.Message), NoteTrouble, NoteOut, cancellationToken)
            .ConfigureAwait(false);
        NoteOut();
        signals.IsStopped = true;
        signals.Done.Pulse();
    }

    public async Task<ReactionStatus> GetStatusAsync(CancellationToken cancellationToken)
    {
        var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var problem = signals.Problem;
        var isLeader = signals.Progress is not null;
        // Another process leads, or nobody yet: what is known is in the files.
        var known = signals.Progress ?? ProgressOf(await stored.ReadAsync(cancellationToken).ConfigureAwait(false));
        return new ReactionStatus
        {
            Name = reaction.Name,
            Phase = signals.IsStopped ? ReactionPhase.Stopped
                : !signals.HasBegun ? ReactionPhase.Starting
                : known.Halt is not null ? ReactionPhase.Halted : ReactionPhase.Running,
            Position = known.Position,
            Head = Math.Max(head, known.Halt is null ? known.Position : 0),
            IsLeader = isLeader,
            Open = known.Open,
            Failing = known.Failing,
            Parked = known.Parked,
            Scheduled = known.Scheduled,
            Halt = signals.IsStopped || !signals.HasBegun ? null : known.Halt,
            Problem = problem,
        };
    }

    public Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(CancellationToken cancellationToken) => stored.ReadParkedAsync(cancellationToken);

    /// <summary>Sends the leader, in whichever process it is, a request, and waits until it has carried it out.</summary>
    public async Task RequestAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(signals.IsStopped, typeof(ReactionRunner));
        // The leader stops its handlers before it begins at another position.
        if (request.Kind == RequestKind.HandleAgain)
            HandlerScope.ThrowIfInside(host, "A request to handle events again");
        var open = await stored.WriteAsync(request, cancellationToken).ConfigureAwait(false);
        signals.Request();
        while (true)
        {
            var done = signals.Done.Next;
            if (!await stored.IsOpenAsync(open, cancellationToken).ConfigureAwait(false))
                return;
            ObjectDisposedException.ThrowIf(signals.IsStopped, typeof(ReactionRunner));
            await stored.PollAsync(done, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Waits until every event up to a position is handled or parked.</summary>
    public async Task WaitForAsync(long position, CancellationToken cancellationToken)
    {
        while (true)
        {
            var done = signals.Done.Next;
            var known = signals.Progress ?? ProgressOf(await stored.ReadAsync(cancellationToken).ConfigureAwait(false));
            if (known.Position >= position && known.Open == 0)
                return;
            ObjectDisposedException.ThrowIf(signals.IsStopped, typeof(ReactionRunner));
            await stored.PollAsync(done, cancellationToken).ConfigureAwait(false);
        }
    }

    private static ReactionProgress ProgressOf(StoredReaction stored) =>
        new(stored.Position, stored.Open, stored.Failing, stored.Parked.Count, stored.Scheduled, stored.Halt);

    private void NoteTrouble(Exception e)
    {
        if (signals.Problem is null)
            ReactionLog.Troubled(host.Logger, reaction.Name, e);
        signals.Problem = new ReactionProblem
        {
            Error = e.Message,
            Since = signals.Problem?.Since ?? host.Clock.GetUtcNow(),
        };
    }

    private void NoteOut()
    {
        signals.IsLeader = false;
        signals.Progress = null;
        signals.HasBegun = true;
    }

    private async Task TryLeadAsync(CancellationToken cancellationToken)
    {
        // A term that is to go on from another position ends, and the next one begins there.
        while (await LeadOnceAsync(cancellationToken).ConfigureAwait(false))
            signals.Done.Pulse();
    }

    private async Task<bool> LeadOnceAsync(CancellationToken cancellationToken)
    {
        var term = await ReactionTerm.TryBeginAsync(host, reaction, layout, cancellationToken).ConfigureAwait(false);
        if (term is null)
        {
            signals.Problem = null;
            return false;
        }
        leading = term;
        await using (term.ConfigureAwait(false))
        {
            try
            {
                await LeadAsync(term, cancellationToken).ConfigureAwait(false);
                return term.IsOver;
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
        var requests = new ReactionRequests(host, reaction, layout);
        var isFirst = true;
        Publish(term);
        try
        {
            while (true)
            {
                cancellationToken.ThrowIfCancellationRequested();
                // Order matters: the signals are taken first, so what handlers and callers do from here on wakes the worker.
                var (progress, scheduled, work) = (term.Progressed.Next, term.Scheduled.Next, signals.Work.Next);
                if (signals.TakeRequest() || isFirst)
                {
                    await requests.CarryOutAsync(term, cancellationToken).ConfigureAwait(false);
                    signals.Done.Pulse();
                }
                isFirst = false;
                if (term.IsOver)
                    return;
                var wait = await term.FollowAsync(cancellationToken).ConfigureAwait(false);
                signals.Problem = null;
                Publish(term);
                if (wait != TimeSpan.Zero)
                    await WaitAsync(term, wait, Task.WhenAny(progress, scheduled, work), cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            if (cancellationToken.IsCancellationRequested)
                await term.StopAsync().ConfigureAwait(false);
        }
    }

    private void Publish(ReactionTerm term)
    {
        signals.Progress = new ReactionProgress(term.Covered, term.Open, term.Failing, term.Parked, term.Due, term.Halted);
        signals.IsLeader = true;
        signals.HasBegun = true;
        signals.Done.Pulse();
    }

    // Waits until there is an event, a handler has done something, or the time is over.
    private async Task WaitAsync(ReactionTerm term, TimeSpan wait, Task progress, CancellationToken cancellationToken)
    {
        if (term.NextDue is not null && (wait < TimeSpan.Zero || wait > clockInterval))
            wait = clockInterval;
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var delay = Task.Delay(wait, host.Clock, waiting.Token);
        var events = term.WantsEvents ? WaitForEventAsync(term.Covered, waiting.Token) : delay;
        await Task.WhenAny(progress, delay, events).ConfigureAwait(false);
        await waiting.CancelAsync().ConfigureAwait(false);
        await delay.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await events.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

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
