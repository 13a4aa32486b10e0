using System.Runtime.ExceptionServices;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Leading;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>
/// One process's term as the leader of a reaction: it reads events, records that they are about to be handled, hands them out, and records what is
/// done. It alone writes the files.
/// </summary>
/// <remarks>Used by one thread at a time; the handlers run on others.</remarks>
internal sealed class ReactionTerm : IAsyncDisposable
{
    private const int EventsABatch = 8_192;

    // An event that takes long holds its key only; what is bounded is how many events wait.
    private const int OpenMax = 2 * EventsABatch;

    // How often it is recorded that there was nothing to handle, so that the next leader need not search the same events.
    private static readonly TimeSpan advanceInterval = TimeSpan.FromSeconds(30);

    // A process that was halted may have lost the lead meanwhile. It looks before it hands the next event to a handler.
    private static readonly TimeSpan lookInterval = TimeSpan.FromMilliseconds(100);

    private readonly ReactionHost host;
    private readonly Reaction reaction;
    private readonly Leadership leadership;
    private readonly Lanes lanes;
    private readonly OpenEvents open = new();
    private readonly PriorityQueue<Handling, long> retries = new();
    private readonly ReactionTaken taken;
    private List<long> interrupted = [];
    private List<Handling> toHandOut = [];
    private EventAt given;
    private bool isChanged;
    private long lastWrite;
    private long lastLook;
    private Exception? notHandedOut;

    private ReactionTerm(ReactionHost host, Reaction reaction, Leadership leadership, ReactionTaken taken)
    {
        this.host = host;
        this.reaction = reaction;
        this.leadership = leadership;
        this.taken = taken;
        lanes = new Lanes(host.Options.MaxConcurrency, host.Start, HandleAsync);
        lastWrite = host.Clock.GetTimestamp();
    }

    /// <summary>Pulsed when a step may have something to do because of a handler.</summary>
    public Signal Progressed => lanes.Progressed;

    /// <summary>The position up to which the events are searched; those of the reaction among them are given out.</summary>
    public long Covered { get; private set; }

    /// <summary>Whether the last read found no further event.</summary>
    public bool IsCaughtUp { get; private set; }

    /// <summary>How many events are given out and not done.</summary>
    public int Open => open.Count;

    /// <summary>Why it handles nothing until somebody decides from where it shall go on; null: it does.</summary>
    public string? Halted => taken.Problem;

    /// <summary>Whether all that is done is recorded.</summary>
    public bool IsWritten => !isChanged;

    /// <summary>Takes the lead; null if another process has it.</summary>
    public static async ValueTask<ReactionTerm?> TryBeginAsync(ReactionHost host, Reaction reaction, ReactionLayout layout,
        CancellationToken cancellationToken)
    {
        if (Leadership.TryTake(host, layout) is not { } leadership)
            return null;
        ReactionTaken? taken = null;
        try
        {
            taken = await ReactionTakeOver.RunAsync(host, reaction, layout, leadership, cancellationToken).ConfigureAwait(false);
            var term = new ReactionTerm(host, reaction, leadership, taken);
            if (taken.Checkpoint is { } checkpoint)
                await term.ContinueAsync(checkpoint, cancellationToken).ConfigureAwait(false);
            else
                ReactionLog.Halted(host.Logger, reaction.Name, taken.Problem!);
            return term;
        }
        catch
        {
            taken?.Dispose();
            leadership.Dispose();
            throw;
        }
    }

    /// <summary>One step: notes what handlers have done, hands out events, and writes when it is time.</summary>
    /// <returns>The time until the next step, unless something happens before.</returns>
    public async ValueTask<TimeSpan> FollowAsync(CancellationToken cancellationToken)
    {
        if (Halted is not null)
            return Timeout.InfiniteTimeSpan;
        Collect();
        if (toHandOut.Count > 0)
            HandOut();
        Retry();
        if (open.Count <= OpenMax - EventsABatch)
            await ReadAsync(cancellationToken).ConfigureAwait(false);
        if (isChanged && TimeTo(host.Options.WriteInterval) == TimeSpan.Zero)
            Write();
        else if (Covered > given.Position && TimeTo(advanceInterval) == TimeSpan.Zero)
            await AdvanceAsync(cancellationToken).ConfigureAwait(false);
        if (!IsCaughtUp && open.Count <= OpenMax - EventsABatch)
            return TimeSpan.Zero;
        return NextTime();
    }

    /// <summary>Whether it shall be woken by further events.</summary>
    public bool WantsEvents => Halted is null && open.Count <= OpenMax - EventsABatch;

    /// <summary>Ends the handling and records what is done, before the lead is given up.</summary>
    public async ValueTask StopAsync()
    {
        await lanes.StopAsync().ConfigureAwait(false);
        if (Halted is not null)
            return;
        Collect();
        if (Covered > given.Position && open.Count == 0)
            await AdvanceAsync(CancellationToken.None).ConfigureAwait(false);
        else if (isChanged)
            Write();
    }

    /// <summary>Throws unless this process still leads; see <see cref="Leadership.ThrowIfLost"/>.</summary>
    public void ThrowIfLost() => leadership.ThrowIfLost();

    /// <summary>The folder of this term, if it is missing, because another process has taken the lead, or it was moved or deleted.</summary>
    public string? FindGone() => host.FileSystem.GetKind(taken.Folder) == EntryKind.Missing ? taken.Folder : null;

    public async ValueTask DisposeAsync()
    {
        // Order matters: nothing is handled any more when another process takes the lead.
        await lanes.StopAsync().ConfigureAwait(false);
        taken.Dispose();
        leadership.Dispose();
    }

    private async ValueTask ContinueAsync(ReactionCheckpoint checkpoint, CancellationToken cancellationToken)
    {
        given = checkpoint.At;
        Covered = given.Position;
        interrupted = [.. checkpoint.Interrupted];
        var attempts = checkpoint.Attempts.ToDictionary(static each => each.Position, static each => each.Ended);
        foreach (var (from, to) in checkpoint.Open)
        {
            open.LeaveGap();
            var stream = host.Store.ReadAsync(reaction.Query, new ReadOptions { From = from, UpTo = to }, cancellationToken);
            await foreach (var e in stream.ConfigureAwait(false))
                toHandOut.Add(NewHandling(e, attempts.GetValueOrDefault(e.Position)));
        }
        open.LeaveGap();
        open.Add(toHandOut);
        ReactionLog.Leads(host.Logger, reaction.Name, given.Position, open.Count);
    }

    private async ValueTask ReadAsync(CancellationToken cancellationToken)
    {
        var stream = host.Store.ReadAsync(reaction.Query, new ReadOptions { From = Covered + 1, Limit = EventsABatch }, cancellationToken);
        var batch = new List<Handling>();
        await foreach (var e in stream.ConfigureAwait(false))
            batch.Add(NewHandling(e, ended: 0));
        IsCaughtUp = batch.Count < EventsABatch;
        if (batch.Count > 0)
        {
            open.Add(batch);
            given = new EventAt(batch[^1].Event.Position, batch[^1].Event.Id);
            toHandOut = batch;
            // Order matters: it is durable that the events may be handled before they are. If this process ends, the next one tells its handlers.
            Write();
            HandOut();
        }
        Covered = Math.Max(Covered, IsCaughtUp ? stream.Head : given.Position);
    }

    private Handling NewHandling(SequencedEvent e, int ended)
    {
        var (key, error) = ("", (Exception?)null);
        try
        {
            key = reaction.KeyOf(e);
        }
        catch (Exception thrown)
        {
            // No key that a tag or a function names contains this character at its start and the position; it fails alone.
            (key, error) = ($"\0{e.Position}", thrown);
        }
        return new Handling(e, key, open.NextOrder(), interrupted.Count(each => each >= e.Position), ended) { KeyError = error };
    }

    private void HandOut()
    {
        // Order matters: this look comes after the flush of the checkpoint that names the events. If the folder has its name now, a later leader
        // renames it later, and reads that checkpoint.
        Look();
        leadership.ThrowIfLost();
        var handedOut = toHandOut;
        toHandOut = [];
        lanes.Add(handedOut);
    }

    private void Look()
    {
        if (FindGone() is { } gone)
            throw new LeadershipLostException($"{gone} no longer has its name.");
        Volatile.Write(ref lastLook, host.Clock.GetTimestamp());
    }

    private void LookIfItIsTime()
    {
        if (host.Clock.GetElapsedTime(Volatile.Read(ref lastLook)) < lookInterval)
            return;
        try
        {
            Look();
        }
        catch (Exception e)
        {
            // The event did not fail: it stays as it is, and the term ends.
            Volatile.Write(ref notHandedOut, e);
            throw;
        }
    }

    private async Task HandleAsync(Handling handling, CancellationToken cancellationToken)
    {
        LookIfItIsTime();
        if (handling.KeyError is { } error)
            throw new InvalidOperationException($"The key of the event cannot be told: {error.Message}", error);
        using var processing = handling.Event.StartProcessing();
        var context = new ReactionContext(host, reaction.Name, handling.Event, handling.Attempt);
        try
        {
            await reaction.HandleAsync(context, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            await context.EndAsync().ConfigureAwait(false);
        }
    }

    private void Collect()
    {
        var (done, failed) = lanes.Take();
        foreach (var each in done)
            open.Finish(each);
        if (Volatile.Read(ref notHandedOut) is { } error)
            ExceptionDispatchInfo.Throw(error);
        foreach (var each in failed)
        {
            ReactionLog.EventFailed(host.Logger, reaction.Name, each.Event.Position, each.Event.Type, each.Attempt, each.Error!);
            each.Ended++;
            each.Failures++;
            retries.Enqueue(each, host.Clock.GetTimestamp() + Ticks(RetryPause(each.Failures)));
        }
        isChanged |= done.Count > 0 || failed.Count > 0;
    }

    private void Retry()
    {
        var now = host.Clock.GetTimestamp();
        if (retries.TryPeek(out _, out var first) && first <= now)
            Look();
        while (retries.TryPeek(out var handling, out var at) && at <= now)
        {
            retries.Dequeue();
            lanes.Resume(handling);
        }
    }

    private TimeSpan RetryPause(int failures)
    {
        var limit = ReactionOptionsValidator.RetryDelayLimit;
        var pause = Math.Min(host.Options.RetryDelay.TotalMilliseconds * Math.Pow(2, failures - 1), limit.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(pause * (0.75 + (host.Random.NextDouble() / 2)));
    }

    private void Write()
    {
        var ranges = open.Ranges();
        // A mark says something of the events before it only.
        interrupted.RemoveAll(mark => ranges.Count == 0 || ranges[0].From > mark);
        taken.Files!.Write(new ReactionCheckpoint(0, given, ranges, interrupted, open.Attempts(), [], []));
        isChanged = false;
        lastWrite = host.Clock.GetTimestamp();
    }

    private async ValueTask AdvanceAsync(CancellationToken cancellationToken)
    {
        if (await StoreEvents.FindIdAsync(host.Store, Covered, cancellationToken).ConfigureAwait(false) is { } id)
            given = new EventAt(Covered, id);
        Write();
    }

    private TimeSpan NextTime()
    {
        var next = isChanged ? TimeTo(host.Options.WriteInterval) : Covered > given.Position ? TimeTo(advanceInterval) : Timeout.InfiniteTimeSpan;
        if (retries.TryPeek(out _, out var at))
        {
            var left = host.Clock.GetElapsedTime(host.Clock.GetTimestamp(), at);
            left = left > TimeSpan.Zero ? left : TimeSpan.Zero;
            next = Sooner(next, left);
        }
        // A handler that hangs must not keep what others have done from being recorded: the signal comes only when all are idle.
        return open.Count > 0 ? Sooner(next, Max(host.Options.WriteInterval, host.Options.PollInterval)) : next;
    }

    // A negative time is no time.
    private static TimeSpan Sooner(TimeSpan one, TimeSpan other) => one < TimeSpan.Zero || other < one ? other : one;

    private static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;

    private TimeSpan TimeTo(TimeSpan interval) =>
        host.Clock.GetElapsedTime(lastWrite) is var since && since < interval ? interval - since : TimeSpan.Zero;

    private long Ticks(TimeSpan time) => (long)(time.TotalSeconds * host.Clock.TimestampFrequency);
}
