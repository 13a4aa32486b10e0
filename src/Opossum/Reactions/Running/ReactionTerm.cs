using System.Runtime.ExceptionServices;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;
using Opossum.Reactions.Reading;

namespace Opossum.Reactions.Running;

/// <summary>
/// One process's term as the leader of a reaction: it reads events, records that they are about to be handled, hands them out, and records what is
/// done. It alone writes the files.
/// </summary>
/// <remarks>Used by one thread at a time; the handlers run on others.</remarks>
internal sealed partial class ReactionTerm : IFollowerTerm
{
    // How often it is recorded that there was nothing to handle, so that the next leader need not search the same events.
    private static readonly TimeSpan advanceInterval = TimeSpan.FromSeconds(30);

    // How often other processes are shown it, which costs no flush.
    private static readonly TimeSpan showInterval = TimeSpan.FromSeconds(1);

    // A process that was halted may have lost the lead meanwhile. It looks before it hands the next event to a handler.
    private static readonly TimeSpan lookInterval = TimeSpan.FromMilliseconds(100);

    private readonly ReactionHost host;
    private readonly Reaction reaction;
    private readonly Leadership leadership;
    private readonly Lanes lanes;
    private readonly OpenEvents open = new();
    private readonly Retries retries;
    private readonly ReactionTaken taken;
    private readonly Parking parking;
    private readonly DueEvents due;
    // One for all contexts.
    private readonly Action<DateTime, Tag, NewEvent, long, Query?> schedule;
    private readonly PausedWork reading;
    private readonly PausedWork catchingUp;
    private readonly PausedWork advancing;
    private List<long> interrupted = [];
    private List<long> crashed = [];
    // The open events that are not read yet, and what former leaders have counted of their attempts.
    private List<(long From, long To)> unread = [];
    private Dictionary<long, (long Position, int Begun, int Charged)> attempts = [];
    private readonly Queue<Handling> oneByOne = new();
    private Handling? alone;
    private bool hasEnded;
    private List<Handling> toHandOut = [];
    private EventAt given;
    private long written;
    private long lastShow;
    private bool isChanged;
    private long lastWrite;
    private long lastLook;
    private Exception? notHandedOut;

    private ReactionTerm(ReactionHost host, Reaction reaction, ReactionLayout layout, Leadership leadership, ReactionTaken taken)
    {
        this.host = host;
        this.reaction = reaction;
        this.leadership = leadership;
        this.taken = taken;
        parking = new Parking(host, reaction, layout);
        retries = new Retries(host);
        (reading, catchingUp, advancing) = (new PausedWork(host), new PausedWork(host), new PausedWork(host));
        due = new DueEvents(host, reaction.Name, layout);
        schedule = due.Add;
        lanes = new Lanes(host.Options.MaxConcurrency, host.Start, host.Sizes, HandleAsync);
        lastWrite = lastShow = host.Clock.GetTimestamp();
    }

    /// <summary>Pulsed when a step may have something to do because of a handler.</summary>
    public Signal Progressed => lanes.Progressed;

    /// <summary>Pulsed when a handler has scheduled an event.</summary>
    public Signal Scheduled => due.Added;

    /// <summary>The time of the next scheduled event; null: there is none.</summary>
    public DateTime? NextDue => due.Next;

    /// <summary>How many events are scheduled.</summary>
    public int Due => due.Count;

    /// <summary>Why events are not read, or scheduled ones whose time has come not appended, for now; null: they are.</summary>
    public FollowerProblem? Problem => reading.Problem ?? catchingUp.Problem ?? advancing.Problem ?? due.Problem ?? retries.Problem;

    /// <summary>Whether the time of a scheduled event has come and it is not appended yet.</summary>
    public bool IsAnyDue => due.IsAnyDue;

    /// <summary>The position up to which the events are searched; those of the reaction among them are given out.</summary>
    public long Covered { get; private set; }

    /// <summary>Whether the last read found no further event.</summary>
    public bool IsCaughtUp { get; private set; }

    /// <summary>How many events, or ranges of events that cannot be read for now, are given out and not done.</summary>
    public int Open => open.Count + unread.Count;

    /// <summary>The position of the first event that is given out and not done, or is about to be; null: there is none.</summary>
    public long? FirstOpen => new[] { open.First?.Event.Position, FirstUnread, parking.FirstFree }.Min();

    /// <summary>Why it handles nothing until somebody decides from where it shall go on; null: it does.</summary>
    public string? Halted => taken.Problem;

    /// <summary>How far it was when it halted, as far as that can be read; null: it is not halted.</summary>
    public FollowerProgress? HaltedAt { get; private init; }

    /// <summary>How many of them have failed and will be retried.</summary>
    public int Failing => retries.Count;

    /// <summary>The positions of the parked events, ascending.</summary>
    public IReadOnlyList<long> Parked => parking.Positions;

    public bool IsOver { get; private set; }

    /// <summary>Takes the lead; null if another process has it.</summary>
    public static ValueTask<ReactionTerm?> TryBeginAsync(ReactionHost host, Reaction reaction, ReactionLayout layout,
        CancellationToken cancellationToken) => Leadership.BeginAsync<ReactionTerm>(host, layout, async leadership =>
    {
        var taken = await ReactionTakeOver.RunAsync(host, reaction, layout, leadership, cancellationToken).ConfigureAwait(false);
        try
        {
            var term = new ReactionTerm(host, reaction, layout, leadership, taken)
            {
                HaltedAt = taken.Problem is null ? null : ReactionReader.ProgressOf(taken.Checkpoint, taken.Problem),
            };
            if (taken is { Problem: null, Checkpoint: { } checkpoint })
            {
                await term.ContinueAsync(checkpoint, cancellationToken).ConfigureAwait(false);
                // Before an event is handed out: it removes what a handler of the last term left, and none of this.
                term.due.List();
            }
            else
            {
                ReactionLog.Halted(host.Logger, reaction.Name, taken.Problem!);
            }
            return term;
        }
        catch
        {
            taken.Dispose();
            throw;
        }
    });

    /// <summary>One step: notes what handlers have done, hands out events, and writes when it is time.</summary>
    /// <returns>The time until the next step, unless something happens before.</returns>
    public async ValueTask<TimeSpan> FollowAsync(CancellationToken cancellationToken)
    {
        if (Halted is not null)
            return Timeout.InfiniteTimeSpan;
        Collect();
        if (unread.Count > 0 && HasRoom && IsTime(reading))
            await ReadOpenAsync(cancellationToken).ConfigureAwait(false);
        if (toHandOut.Count > 0)
            HandOut();
        HandOutAlone();
        if (!IsAlone)
            Retry();
        due.List();
        if (due.IsAnyDue)
        {
            ThrowIfNotLeader();
            await due.AppendAsync(cancellationToken).ConfigureAwait(false);
        }
        var isCatchingUp = CanReadOn && await CatchUpAsync(cancellationToken).ConfigureAwait(false);
        if (CanReadOn && IsTime(reading))
            await ReadAsync(cancellationToken).ConfigureAwait(false);
        var hasToShow = Covered > given.Position && TimeToShow == TimeSpan.Zero;
        if (hasToShow)
            await AdvanceAsync(cancellationToken).ConfigureAwait(false);
        if ((isChanged && TimeTo(host.Options.WriteInterval) == TimeSpan.Zero)
            || (given.Position > written && TimeTo(advanceInterval) == TimeSpan.Zero))
        {
            Write();
        }
        else if (hasToShow)
        {
            Show();
        }
        return ((!IsCaughtUp && IsTime(reading)) || isCatchingUp) && HasRoom ? TimeSpan.Zero : NextTime();
    }

    public long? WakesAfter => Halted is null && CanReadOn && IsTime(reading) ? Covered : null;

    // An event that takes long holds its key only; what is bounded, by two batches, is how many events wait, and how large they are.
    private bool HasRoom => !IsAlone && open.Count <= host.Sizes.EventsABatch && open.Bytes < host.Sizes.BytesABatch;

    // An open event that cannot be read may have the key of any event after it.
    private bool CanReadOn => HasRoom && unread.Count == 0;

    private long? FirstUnread => unread is [var (from, _), ..] ? from : null;

    private static bool IsTime(PausedWork work) => work.TimeLeft == TimeSpan.Zero;

    // Whether events are handed out one at a time for now, so that one that ends the process is known by that.
    private bool IsAlone => oneByOne.Count > 0 || alone is { IsDone: false, IsStarted: true };

    public async ValueTask StopAsync()
    {
        // What is done is recorded first: the process may end before a handler returns.
        if (Halted is null)
        {
            Collect();
            if (isChanged)
                Write();
        }
        await lanes.StopAsync().ConfigureAwait(false);
        if (Halted is not null)
            return;
        Collect();
        await AdvanceAsync(CancellationToken.None).ConfigureAwait(false);
        WriteEnd();
    }

    /// <summary>The positions of the events that are with handlers at this moment.</summary>
    public List<long> FindHandled() => lanes.FindHandled();

    public void ThrowIfLost() => leadership.ThrowIfLost();

    public string? FindGone() => host.FileSystem.GetKind(taken.Folder) == EntryKind.Missing ? taken.Folder : null;

    public async ValueTask DisposeAsync()
    {
        // Order matters: another process that leads while a handler is at work could handle the event a second time.
        try
        {
            await lanes.DisposeAsync().ConfigureAwait(false);
            RecordDone();
        }
        finally
        {
            await due.EndAsync().ConfigureAwait(false);
            taken.Dispose();
            leadership.Dispose();
        }
    }

    // Also where a problem ends the term, as a file that cannot be written: what handlers have done is not done again.
    private void RecordDone()
    {
        if (Halted is not null || IsOver)
            return;
        try
        {
            Finish(lanes.Take().Done);
            if (FindGone() is null)
                WriteEnd();
        }
        catch (Exception)
        {
            // The term ends by another problem, which is reported: these events are handled once more.
        }
    }

    private void HandOut()
    {
        if (toHandOut.Exists(static each => each is { IsCounted: true, IsStarted: false }))
        {
            toHandOut.ForEach(static each => each.IsStarted |= each.IsCounted);
            Write();
        }
        // Order matters: after the flush. If the folder has its name now, the next leader reads that checkpoint.
        ThrowIfNotLeader();
        var handedOut = toHandOut;
        toHandOut = [];
        lanes.Add(handedOut);
    }

    // The next of the events of which one may end the process: alone, and counted before it begins.
    private void HandOutAlone()
    {
        while (lanes.IsIdle && !(alone is { IsDone: false, IsStarted: true }) && oneByOne.TryDequeue(out var next))
        {
            // What the last one has become: done, failed, or parked with those of its key.
            if (next.IsDone)
                continue;
            // One of its key has failed: it is handed out after it, as always.
            if (!lanes.Has(next.Key))
            {
                alone = next;
                next.IsStarted = true;
                Write();
            }
            toHandOut.Add(next);
            HandOut();
        }
    }

    private void Look()
    {
        if (FindGone() is { } gone)
            throw new LeadershipLostException($"{gone} no longer has its name.");
        // Another machine may have forgotten a person since the events were read.
        host.CatchUp();
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
        using var scope = HandlerScope.Enter(host, $"the reaction {reaction.Name}");
        if (handling.KeyError is { } error)
            throw new KeyUnknownException(handling.Event.Position, error);
        if (handling.IsLost)
            throw new InvalidOperationException($"Attempt {handling.Attempt} ended with its process, or its error was not recorded.");
        var handled = await FindAsync(handling, cancellationToken).ConfigureAwait(false);
        using var processing = ProcessingScope.Begin(handled);
        var context = new ReactionContext(host, reaction.Name, schedule, handled, handling.Attempt);
        var measured = MeasuredAttempt.Begin(host.StoreRoot, reaction.Name, handling.Attempt, processing.Activity);
        try
        {
            await HandleAsync(context, cancellationToken).ConfigureAwait(false);
            measured.End(error: null);
        }
        catch (Exception e)
        {
            measured.End(e.GetType());
            throw;
        }
    }

    // An event keeps what was decrypted for its key or an earlier attempt, also of a person who was forgotten since.
    private async ValueTask<SequencedEvent> FindAsync(Handling handling, CancellationToken cancellationToken) =>
        host.HasForgottenAfter(handling.Head)
        && await StoreEvents.FindAsync(host.Store, handling.Event.Position, cancellationToken).ConfigureAwait(false)
            is { } again ? again : handling.Event;

    private async Task HandleAsync(ReactionContext context, CancellationToken cancellationToken)
    {
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
        Finish(done);
        if (Volatile.Read(ref notHandedOut) is { } error)
            ExceptionDispatchInfo.Throw(error);
        // A store that accepts no appends fails every handler that appends; no event is at fault.
        if (failed.Count > 0)
            host.ThrowIfFaulted();
        var hasParked = false;
        foreach (var each in failed)
        {
            var attempt = each.Attempt;
            var mayBeToBlame = each.KeyError is not null || !FollowerHost.IsOfThisProcess(each.Error);
            each.Fail(host.Clock.GetUtcNow(), mayBeToBlame);
            if (mayBeToBlame && (each.Charged > host.Options.MaxRetryAttempts || reaction.Judge(each.Error!)))
            {
                hasParked |= TryPark(each);
                continue;
            }
            ReactionLog.EventFailed(host.Logger, reaction.Name, each.Event.Position, each.Event.Type, attempt, each.Error!);
            retries.Add(each, mayBeToBlame ? null : Backoff.Longest);
        }
        isChanged |= failed.Count > 0;
        if (hasParked)
            Write();
    }

    private void Finish(List<Handling> done)
    {
        foreach (var each in done)
            open.Finish(each);
        isChanged |= done.Count > 0;
    }

    // Invariant: the checkpoint on the disk has each event as open, parked, kept back or done, so a crash at any step
    // loses none. So the file that people read comes first, then the event and the later ones of its key leave the
    // lanes, and last the caller writes the checkpoint that parks them.
    private bool TryPark(Handling handling)
    {
        var position = handling.Event.Position;
        if (parking.IsFull)
        {
            ReactionLog.TooManyParked(host.Logger, reaction.Name, parking.Count, position);
            retries.Add(handling, Backoff.Longest);
            return false;
        }
        ThrowIfNotLeader();
        try
        {
            parking.Park(handling);
        }
        catch (FileSystemException e)
        {
            ReactionLog.FileProblem(host.Logger, reaction.Name, $"The event at position {position} cannot be parked, and is retried. {e.Message}");
            retries.Add(handling, Backoff.Longest);
            return false;
        }
        var keyWaits = reaction.KeyWaits && handling.KeyError is null;
        var removed = lanes.Remove(handling, withLater: keyWaits);
        if (keyWaits)
        {
            removed.AddRange(oneByOne.Where(each => each.Key == handling.Key && each.Event.Position > position && !each.IsDone));
            // Later ones of the key may be done, if it had another key, or none, when it was parked before.
            var next = new[] { removed.Skip(1).Min(static each => (long?)each.Event.Position), FirstUnread }.Min();
            parking.HoldBack(handling, next - 1 ?? given.Position);
        }
        Finish(removed);
        ReactionLog.Parked(host.Logger, reaction.Name, position, handling.Event.Type, handling.Attempt - 1, handling.Error!);
        return true;
    }

    private void ThrowIfNotLeader()
    {
        Look();
        leadership.ThrowIfLost();
    }

    private void Retry()
    {
        var due = retries.TakeDue();
        if (due.Count == 0)
            return;
        // Order matters: written before the attempts begin, or a process that they end would count none of them.
        due.ForEach(static each => each.IsStarted = true);
        Write();
        Look();
        due.ForEach(lanes.Resume);
    }

    // No handler has an event any more: what has begun and is not done was cancelled.
    private void WriteEnd()
    {
        if (!isChanged && given.Position == written && (Open == 0 || hasEnded))
            return;
        open.End();
        hasEnded = true;
        Write();
    }

    private void Write()
    {
        // Order matters: a power cut could otherwise leave a checkpoint of events which the store has lost.
        host.MakeDurable(Covered);
        taken.Files!.Write(Present());
        isChanged = false;
        (written, lastWrite) = (given.Position, host.Clock.GetTimestamp());
    }

    private ReactionCheckpoint Present()
    {
        var ranges = open.Ranges();
        if (unread.Count > 0)
            ranges = [.. ranges.Concat(unread).Order()];
        // A mark says something of the events before it that are not done.
        interrupted.RemoveAll(IsPast);
        crashed.RemoveAll(IsPast);
        return new ReactionCheckpoint(0, given, ranges, interrupted, [.. open.Attempts(), .. attempts.Values], parking.Parked,
            parking.Behind)
        {
            Crashed = crashed,
            HasEnded = hasEnded,
            Types = reaction.HandledTypes,
        };

        bool IsPast(long mark) => mark <= given.Position && (ranges.Count == 0 || ranges[0].From > mark) && !parking.IsAnyBehind(mark);
    }

    // The events up to where it has searched are given out, or none of the reaction.
    private async ValueTask AdvanceAsync(CancellationToken cancellationToken)
    {
        if (Covered > given.Position && IsTime(advancing)
            && await TryFindAsync(advancing, Covered, cancellationToken).ConfigureAwait(false) is (true, { } e))
        {
            given = new EventAt(Covered, e.Id);
            advancing.Succeed();
        }
        lastShow = host.Clock.GetTimestamp();
    }

    private TimeSpan TimeToShow => Left(lastShow, showInterval);

    private void Show()
    {
        // As in Write: the checkpoint may reach the disk also without a flush.
        host.MakeDurable(Covered);
        taken.Files!.Show(Present());
    }

    private TimeSpan NextTime()
    {
        var next = isChanged ? TimeTo(host.Options.WriteInterval) : given.Position > written ? TimeTo(advanceInterval) : Timeout.InfiniteTimeSpan;
        if (Covered > given.Position)
            next = Sooner(next, TimeToShow);
        foreach (var work in (ReadOnlySpan<PausedWork>)[reading, catchingUp])
            next = HasRoom && work.Problem is not null ? Sooner(next, work.TimeLeft) : next;
        if (!IsAlone && retries.TimeToNext() is { } left)
            next = Sooner(next, left);
        if (due.TimeToList is { } toList)
            next = Sooner(next, toList);
        if (due.Next is { } when)
            next = Sooner(next, Max(when - host.Clock.GetUtcNow().UtcDateTime, TimeSpan.Zero));
        // A handler that hangs must not keep what others have done from being recorded: the signal comes only when all are idle.
        return open.Count > 0 ? Sooner(next, Max(host.Options.WriteInterval, host.Options.PollInterval)) : next;
    }

    // A negative time is no time.
    private static TimeSpan Sooner(TimeSpan one, TimeSpan other) => one < TimeSpan.Zero || other < one ? other : one;

    private static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;

    private TimeSpan TimeTo(TimeSpan interval) => Left(lastWrite, interval);

    private TimeSpan Left(long last, TimeSpan interval) =>
        host.Clock.GetElapsedTime(last) is var since && since < interval ? interval - since : TimeSpan.Zero;
}
