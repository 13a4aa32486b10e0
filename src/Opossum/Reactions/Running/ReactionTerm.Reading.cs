using System.Runtime.ExceptionServices;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <content>How a term reads the events that are to be handed out.</content>
internal sealed partial class ReactionTerm
{
    private async ValueTask ContinueAsync(ReactionCheckpoint checkpoint, CancellationToken cancellationToken)
    {
        given = checkpoint.At;
        Covered = written = given.Position;
        interrupted = [.. checkpoint.Interrupted];
        crashed = [.. checkpoint.Crashed];
        attempts = checkpoint.Attempts.ToDictionary(static each => each.Position);
        unread = [.. checkpoint.Open];
        parking.Load(checkpoint);
        if (checkpoint.Types is { } former)
            await WarnOfTypesAsync(former, checkpoint, cancellationToken).ConfigureAwait(false);
        await ReadOpenAsync(cancellationToken).ConfigureAwait(false);
        ReactionLog.Leads(host.Logger, reaction.Name, given.Position, Open);
    }

    // Reads what former leaders have given out and not done, up to an event that cannot be read.
    private async ValueTask ReadOpenAsync(CancellationToken cancellationToken)
    {
        var (batch, left) = (new List<Handling>(), new Queue<(long From, long To)>(unread));
        for (var isRead = true; isRead && left.TryPeek(out var range);)
        {
            open.LeaveGap();
            for (var hasMore = true; isRead && hasMore;)
            {
                var stream = host.Store.ReadAsync(reaction.Query, new ReadOptions { After = range.From - 1, UpTo = range.To }, cancellationToken);
                (var last, hasMore) = await ReadAsync(reading, stream, int.MaxValue, e => AddNew(batch, e)).ConfigureAwait(false);
                isRead = !hasMore || last is not null;
                range.From = last?.Position + 1 ?? range.From;
            }
            left.Dequeue();
            if (!isRead)
                left = new Queue<(long From, long To)>([range, .. left]);
        }
        open.LeaveGap();
        // Order matters: only after the whole read, or one that is cancelled in the middle would lose events.
        unread = [.. left];
        attempts = attempts.Where(each => each.Key >= FirstUnread).ToDictionary();
        open.Insert(batch);
        if (batch.Exists(IsSuspect))
            batch.ForEach(oneByOne.Enqueue);
        else
            toHandOut.AddRange(batch);
    }

    // Of an open event, the attempts count that former leaders have made, and the time at which the reaction starts may have become later since. What
    // waits for a parked event of its key is read again when that is released.
    private void AddNew(List<Handling> batch, SequencedEvent e)
    {
        var order = open.NextOrder();
        var handling = attempts.TryGetValue(e.Position, out var counted)
            ? NewHandling(e, order, counted.Begun, counted.Charged, isCounted: true)
            : NewHandling(e, order, Interruptions(e), Crashes(e));
        ThrowIfKeyIsUnknownForNow(handling);
        if (reaction.Handles(e) && !parking.IsBehind(handling.Key, e.Position))
            batch.Add(handling);
    }

    // It was open whenever a process ended, so it may be why; or one that was handled at the same time is.
    private bool IsSuspect(Handling handling) => !handling.IsCounted && handling.Charged >= Math.Max(1, host.Options.MaxRetryAttempts);

    // Invariant: no handler gets an event before a durable checkpoint names it as open, and each event of the reaction
    // up to its position is open, parked, kept back or done. So what is known changes after the whole read, which may
    // be cancelled, Covered before the checkpoint, which makes the events up to it durable, and the hand-out is last.
    private async ValueTask ReadAsync(CancellationToken cancellationToken)
    {
        var stream = host.Store.ReadAsync(reaction.Query, new ReadOptions { After = Covered, Limit = host.Sizes.EventsABatch }, cancellationToken);
        var batch = new List<Handling>();
        var (last, hasMore) = await ReadAsync(reading, stream, host.Sizes.EventsABatch, e => AddNew(batch, e)).ConfigureAwait(false);
        given = last ?? given;
        IsCaughtUp = !hasMore;
        if (last is not null)
        {
            isChanged = true;
            advancing.Succeed();
        }
        Covered = Math.Max(Covered, IsCaughtUp ? stream.Head : given.Position);
        if (batch.Count > 0)
        {
            open.Add(batch);
            toHandOut = batch;
            Write();
            HandOut();
        }
    }

    // Those before one that cannot be read are handed out, and the next read meets that one alone: it ends neither the term nor a handler.
    private async ValueTask<(EventAt? Last, bool HasMore)> ReadAsync(PausedWork work, EventStream stream, int limit, Action<SequencedEvent> add)
    {
        var (last, count, bytes) = ((EventAt?)null, 0, 0L);
        try
        {
            await foreach (var e in stream.ConfigureAwait(false))
            {
                add(e);
                (last, count, bytes) = (new EventAt(e.Position, e.Id), count + 1, bytes + e.StoredJson.Length);
                if (bytes >= host.Sizes.BytesABatch)
                    break;
            }
            if (work != catchingUp || !parking.HasUnread)
                work.Succeed();
            return (last, count >= limit || bytes >= host.Sizes.BytesABatch);
        }
        // Also what of the reaction's files says which events wait.
        catch (Exception e) when (e is EventStoreException or KeyUnknownException or FileSystemException || FollowerHost.IsOfThisProcess(e))
        {
            if (last is null)
                Note(work, e);
            return (last, true);
        }
    }

    private async ValueTask<(bool IsRead, SequencedEvent? Event)> TryFindAsync(PausedWork work, long position, CancellationToken cancellationToken)
    {
        try
        {
            return (true, await StoreEvents.FindAsync(host.Store, position, cancellationToken).ConfigureAwait(false));
        }
        catch (EventStoreException e)
        {
            Note(work, e);
            return (false, null);
        }
    }

    private void Note(PausedWork work, Exception e)
    {
        // Keys that cannot be read within the pause of another one do not make it longer.
        if (IsTime(work) && work.Fail(e))
            host.LogTrouble(reaction.Name, e);
    }

    // Hands out events of a key that were kept back, in their order, before new ones of that key. False: there is no such key for now.
    private async ValueTask<bool> CatchUpAsync(CancellationToken cancellationToken)
    {
        if (parking.FindFree(mayBeUnread: IsTime(catchingUp)) is not { } waiting)
        {
            if (!parking.HasUnread)
                catchingUp.Succeed();
            return false;
        }
        var batch = new List<Handling>();
        var (last, hasMore) = ((EventAt?)null, false);
        if (waiting.After < given.Position)
        {
            var (isRead, of) = await TryFindAsync(catchingUp, waiting.Of[0], cancellationToken).ConfigureAwait(false);
            if (!isRead)
            {
                parking.PassOver(waiting);
                return true;
            }
            var (query, isOfKey) = QueryOf(waiting, of);
            NoteFormer(waiting);
            var limit = host.Sizes.EventsOfAKeyABatch;
            var range = new ReadOptions { After = waiting.After, UpTo = given.Position, Limit = limit };
            (last, hasMore) = await ReadAsync(catchingUp, host.Store.ReadAsync(query, range, cancellationToken), limit, e =>
            {
                // Under another key it may have been handled before.
                var handling = NewHandling(e, open.LonelyOrder(), isOfKey && Interruptions(e) == 0 ? 0 : 1, Crashes(e));
                ThrowIfKeyIsUnknownForNow(handling);
                var mayWait = parking.IsOf(waiting, handling.Key)
                    || ((!isOfKey || handling.KeyError is not null) && !parking.IsBehind(handling.Key, e.Position));
                // It may have had another key, or none, and was given out or parked by that.
                var isGiven = mayWait && (open.Contains(e.Position) || parking.Contains(e.Position) || parking.IsSkipped(e.Position));
                if (!reaction.Handles(e) || !mayWait || isGiven)
                    return;
                // It may have been handled, under a key of its own: that waits for a version of the app that can tell.
                batch.Add(handling.KeyError is null ? handling : throw new KeyUnknownException(e.Position, handling.KeyError));
            }).ConfigureAwait(false);
            if (hasMore && last is null)
            {
                parking.PassOver(waiting);
                return true;
            }
        }
        parking.Advance(waiting, hasMore ? last?.Position : null);
        isChanged = true;
        if (batch.Count > 0)
        {
            open.Insert(batch);
            toHandOut = batch;
            Write();
            HandOut();
        }
        return true;
    }

    // Former leaders may have handled events of the key under another one: a mark says that their next attempt is not the first.
    private void NoteFormer(Parking.Waiting waiting)
    {
        var last = taken.Checkpoint!.At.Position;
        if (waiting.After < last && !interrupted.Exists(mark => mark >= last))
            interrupted.Add(last);
    }

    // The events among which those that wait are, and whether their key tells them: the app may have another key by now, or cannot tell it.
    private (Query Query, bool IsOfKey) QueryOf(Parking.Waiting waiting, SequencedEvent? e)
    {
        if (e is null || !parking.IsOf(waiting, KeyOf(e).Key))
            return (reaction.Query, false);
        // Events without the tag are one key, and cannot be asked for.
        var tag = reaction.KeyTag is { } tagKey ? e.Tags.FirstOrDefault(each => each.Key == tagKey) : default;
        return (tag.Key is null ? reaction.Query : reaction.QueryOf(tag), true);
    }

    private int Interruptions(SequencedEvent e) => interrupted.Count(each => each >= e.Position);

    private int Crashes(SequencedEvent e) => crashed.Count(each => each >= e.Position);

    private Handling NewHandling(SequencedEvent e, long order, int begun, int charged, bool isCounted = false)
    {
        var head = host.KnownHead();
        var (key, error) = KeyOf(e);
        return isCounted && charged > host.Options.MaxRetryAttempts
            ? new Handling(e, key, order, begun - 1, charged - 1) { Head = head, KeyError = error, IsCounted = true, IsStarted = true, IsLost = true }
            : new Handling(e, key, order, begun, charged) { Head = head, KeyError = error, IsCounted = isCounted };
    }

    // The read waits at it, as at an event that cannot be read: under another key it would be handled out of its key's order.
    private void ThrowIfKeyIsUnknownForNow(Handling handling)
    {
        if (handling.KeyError is { } error && FollowerHost.IsOfThisProcess(error) && reaction.Handles(handling.Event))
            ExceptionDispatchInfo.Throw(error);
    }

    private (string Key, Exception? Error) KeyOf(SequencedEvent e)
    {
        try
        {
            return (reaction.KeyOf(e), null);
        }
        catch (Exception thrown)
        {
            // No key that a tag or a function names contains this character at its start and the position; it fails alone.
            return ($"\0{e.Position}", thrown);
        }
    }
}
