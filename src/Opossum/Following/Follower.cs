using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>What follows a store's log in the background, and its callers' way to it.</summary>
internal abstract class Follower(string kind, string name, LedFolder folder)
{
    public string Name => name;

    public LedFolder Folder => folder;

    public FollowerSignals Signals { get; } = new();

    /// <summary>Runs until it is cancelled.</summary>
    public abstract Task RunAsync(CancellationToken cancellationToken);

    public abstract FollowerReader Reader { get; }

    /// <summary>How many events up to a head are not done, and how many are parked; null: this process does not lead.</summary>
    public (long Lag, long Parked)? LagAt(long head) => Signals.Progress is { } known
        ? (Math.Max(0, head - known.Position) + known.Open, known.Parked?.Count ?? 0)
        : null;

    /// <summary>What has not stopped yet; null: everything has.</summary>
    public virtual string? FindUnfinished() => Signals.IsStopped ? null : $"the {kind} {name} is still running";
}

/// <summary>
/// Follows the log whenever this process leads: takes the lead when it is free, makes steps, waits for events, requests and times in between, and
/// retries after problems.
/// </summary>
internal abstract class Follower<TTerm>(FollowerHost host, string kind, string name, LedFolder folder)
    : Follower(kind, name, folder)
    where TTerm : class, IFollowerTerm
{
    // What has ended a term, until another one makes a step.
    private readonly Trouble trouble = new(host);

    /// <summary>The term in which this process leads, or has led last.</summary>
    protected TTerm? Leading { get; private set; }

    public override async Task RunAsync(CancellationToken cancellationToken)
    {
        // Other processes lead.
        if (!host.CanWrite)
            await Task.Delay(Timeout.InfiniteTimeSpan, host.Clock, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        var (troubles, lastTrouble) = (0, 0L);
        for (var isFirst = true; !cancellationToken.IsCancellationRequested || (isFirst && BeginsAtOnce); isFirst = false)
        {
            var pause = Backoff.Vary(host.TakeOverInterval);
            try
            {
                await TryLeadAsync(cancellationToken).ConfigureAwait(false);
                troubles = 0;
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                break;
            }
            catch (LeadershipLostException e)
            {
                LogLost(e);
                pause = host.PollInterval;
            }
            catch (Exception e)
            {
                // A full disk, an unreachable share, an event that cannot be read: the problem may pass, and the files on the disk are valid.
                NoteTrouble(e);
                // The last problem passed long ago: this is another one.
                if (troubles > 0 && host.Clock.GetElapsedTime(lastTrouble) > PauseAfter(troubles) + Backoff.Longest)
                    troubles = 0;
                pause = PauseAfter(++troubles);
                lastTrouble = host.Clock.GetTimestamp();
            }
            NoteOut();
            // A cancellation ends the loop.
            await QuietClock.DelayAsync(host.Clock, pause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        NoteOut();
        Signals.IsStopped = true;
        Signals.Done.Pulse();
    }

    /// <summary>Whether it tries to take the lead once also when it is cancelled before.</summary>
    protected virtual bool BeginsAtOnce => false;

    /// <summary>Takes the lead; null if another process has it, or if this one must not.</summary>
    protected abstract ValueTask<TTerm?> TryBeginAsync(CancellationToken cancellationToken);

    protected abstract ValueTask CarryOutAsync(TTerm term, CancellationToken cancellationToken);

    /// <summary>Does some of what there is to do.</summary>
    /// <returns>The time until the next step, unless something happens before.</returns>
    protected abstract ValueTask<TimeSpan> StepAsync(TTerm term, CancellationToken cancellationToken);

    /// <summary>What handlers do at this moment, for which the end of a term waits; null: nothing.</summary>
    protected virtual string? FindHandled() => null;

    /// <summary>What the term cannot do for now, although it continues; null: nothing.</summary>
    protected virtual FollowerProblem? FindProblem(TTerm term) => term.Problem;

    /// <summary>How far the term is, for callers in this process.</summary>
    protected abstract FollowerProgress ProgressOf(TTerm term);

    /// <summary>What else than an event or a signal to the follower ends a wait.</summary>
    protected virtual IEnumerable<Task> FindWork(TTerm term) => [];

    /// <summary>Ends what the term does beside its steps.</summary>
    protected virtual Task EndAsync(TTerm term) => Task.CompletedTask;

    protected abstract void LogLost(LeadershipLostException e);

    protected abstract void LogTrouble(Exception e);

    /// <summary>Lets callers in this process know how far the term is.</summary>
    protected void Publish(TTerm term)
    {
        Signals.Progress = ProgressOf(term);
        Signals.HasBegun = true;
        Signals.Done.Pulse();
    }

    /// <summary>The same, and whether anything cannot be done for now.</summary>
    protected void PublishStatus(TTerm term)
    {
        Signals.Problem = trouble.Problem ?? FindProblem(term);
        Publish(term);
    }

    /// <summary>As <see cref="Publish"/>, when a request was carried out, which may have taken the position back.</summary>
    protected void Tell(TTerm term)
    {
        if (term.IsOver)
            NoteOut();
        else
            Publish(term);
    }

    private TimeSpan PauseAfter(int troubles) => Backoff.After(troubles, host.PollInterval, Backoff.Longest);

    private void NoteOut()
    {
        Signals.Progress = null;
        Signals.HasBegun = true;
    }

    private async Task TryLeadAsync(CancellationToken cancellationToken)
    {
        // A term that is to go on from another position ends, and the next one begins there.
        while (await LeadOnceAsync(cancellationToken).ConfigureAwait(false))
            Signals.Done.Pulse();
    }

    private async Task<bool> LeadOnceAsync(CancellationToken cancellationToken)
    {
        var term = await TryBeginAsync(cancellationToken).ConfigureAwait(false);
        if (term is null)
        {
            Signals.Problem = null;
            trouble.End();
            return false;
        }
        Leading = term;
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
            catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
            {
                // Before the end of the term, which waits for its handlers: one that hangs would hide the problem.
                NoteTrouble(e, FindHandled());
                throw;
            }
        }
    }

    private async Task LeadAsync(TTerm term, CancellationToken cancellationToken)
    {
        try
        {
            await MakeStepsAsync(term, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // Only here: a term that is over must not write any more, and what a problem has ended may be half done.
            await term.StopAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task MakeStepsAsync(TTerm term, CancellationToken cancellationToken)
    {
        Publish(term);
        try
        {
            for (var isFirst = true; ; isFirst = false)
            {
                cancellationToken.ThrowIfCancellationRequested();
                // The signals are taken first, so what handlers and callers do from here on ends the wait.
                Task[] work = [Signals.Work.Next, .. FindWork(term)];
                if (Signals.TakeRequest() || isFirst)
                {
                    await CarryOutAsync(term, cancellationToken).ConfigureAwait(false);
                    Tell(term);
                }
                if (term.IsOver)
                    return;
                var wait = await StepAsync(term, cancellationToken).ConfigureAwait(false);
                trouble.End();
                PublishStatus(term);
                if (wait != TimeSpan.Zero)
                    await WaitAsync(term, wait, work, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            await EndAsync(term).ConfigureAwait(false);
        }
    }

    private async Task WaitAsync(TTerm term, TimeSpan wait, Task[] work, CancellationToken cancellationToken)
    {
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var delay = QuietClock.DelayAsync(host.Clock, wait, waiting.Token);
        var events = term.WakesAfter is { } after ? WaitForEventAsync(after, waiting.Token) : delay;
        await Task.WhenAny([.. work, delay, events]).ConfigureAwait(false);
        await waiting.CancelAsync().ConfigureAwait(false);
        await delay.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await events.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task WaitForEventAsync(long after, CancellationToken cancellationToken)
    {
        await foreach (var _ in host.Store.SubscribeAsync(Query.All, after, cancellationToken).ConfigureAwait(false))
            return;
    }

    private void NoteTrouble(Exception e, string? awaited = null)
    {
        if (trouble.Note(e, awaited is null ? null : $"{e.Message} Before it continues, a handler has to return: {awaited}."))
            LogTrouble(e);
        Signals.Problem = trouble.Problem;
    }

    private string WhyLost(TTerm term, Exception e)
    {
        string[] parents = [host.StoreRoot, host.Folder, Folder.Root];
        if (Array.Find(parents, each => host.FileSystem.GetKind(each) == EntryKind.Missing) is { } gone)
            return Gone(gone);
        var moved = term.FindGone();
        if (e is LeadershipLostException && moved is null)
            return e.Message;
        try
        {
            term.ThrowIfLost();
            // No other process leads, so no other process has renamed the folder.
            return Gone(moved ?? Folder.Root);
        }
        catch (LeadershipLostException lost)
        {
            return $"Another process has taken the lead. ({lost.Message})";
        }
    }

    private static string Gone(string folder) => $"{folder} no longer exists: it was deleted or moved.";
}
