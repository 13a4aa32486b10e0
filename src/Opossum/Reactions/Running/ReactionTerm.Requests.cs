using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <content>What a term does on request, between two steps.</content>
internal sealed partial class ReactionTerm
{
    /// <summary>Retries a parked event, or skips it if it is none of the reaction by now; it is not parked any more.</summary>
    /// <returns>Whether the request is carried out; false: the event is damaged.</returns>
    /// <exception cref="RequestDelayedException">The event, or an open one, cannot be read for now, or one is handled alone.</exception>
    public async ValueTask<bool> TryRetryAsync(long position, CancellationToken cancellationToken)
    {
        if (Halted is not null || !parking.Contains(position))
            return true;
        // It may have the key of that one. If it were parked again, events of the key that are done could not be told from those that are not.
        if (unread.Count > 0)
            throw new RequestDelayedException(reading.Problem!.Error);
        // If it ends the process, it alone is charged with that.
        if (IsAlone)
            throw new RequestDelayedException("Events of which one may have ended a process are handled before it, one at a time.");
        if (await FindIntactAsync(position, cancellationToken).ConfigureAwait(false) is not { } e)
            return false;
        if (!reaction.Handles(e))
        {
            Skip(LeaderRequest.Skip(position, "The reaction does not handle this event any more.") with { Head = host.KnownHead() });
            return true;
        }
        ThrowIfNotLeader();
        var handling = NewHandling(e, open.LonelyOrder(), parking.Release(position), charged: 0, isCounted: true);
        handling.IsStarted = true;
        open.Insert([handling]);
        // Events that the term begins with may wait to be handed out.
        toHandOut.Add(handling);
        Write();
        parking.RemoveFile(position);
        ReactionLog.RetriesParked(host.Logger, reaction.Name, position);
        HandOut();
        return true;
    }

    /// <summary>Skips a parked event; that it is skipped, and why, is recorded before.</summary>
    /// <exception cref="RequestDelayedException">That cannot be recorded for now.</exception>
    public void Skip(LeaderRequest request)
    {
        var position = request.Position;
        if (Halted is not null || !parking.Contains(position))
            return;
        ThrowIfNotLeader();
        try
        {
            parking.RecordSkip(request);
        }
        catch (FileSystemException e)
        {
            throw new RequestDelayedException(e.Message, e);
        }
        parking.Release(position);
        Write();
        parking.RemoveFile(position);
        ReactionLog.Skips(host.Logger, reaction.Name, position, request.Reason);
    }

    /// <summary>Records that the events from a position on are handled again, and ends the term.</summary>
    /// <returns>Whether the request is carried out; false: the event before that position is damaged.</returns>
    /// <exception cref="RequestDelayedException">That event cannot be read for now.</exception>
    public async ValueTask<bool> TryHandleAgainAsync(long position, CancellationToken cancellationToken)
    {
        var last = position - 1;
        var id = last == 0 ? Guid.Empty : (await FindIntactAsync(last, cancellationToken).ConfigureAwait(false))?.Id;
        if (id is not { } known)
            return false;
        await lanes.StopAsync().ConfigureAwait(false);
        ThrowIfNotLeader();
        host.MakeDurable(last);
        if (taken.Files is { } files)
        {
            Finish(lanes.Take().Done);
            open.End();
            // Those after the last one that was given out are handled in any case, and none is left out.
            files.Write(Present().From(last < given.Position ? new EventAt(last, known) : given) with { HasEnded = true });
        }
        else
        {
            // Any event of the store may have been handled.
            var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
            var found = taken.Checkpoint ?? new ReactionCheckpoint(0, new EventAt(head, Guid.Empty), [], [], [], [], []);
            CheckpointFiles.Create(host.FileSystem, taken.Folder, leadership.Term, found.From(new EventAt(last, known))).Dispose();
        }
        parking.RemoveFiles(each => each > last);
        ReactionLog.HandlesAgain(host.Logger, reaction.Name, position);
        IsOver = true;
        return true;
    }

    // The request stays until it is carried out or passed over: another error would end this term and the next ones.
    private async ValueTask<SequencedEvent?> FindIntactAsync(long position, CancellationToken cancellationToken)
    {
        try
        {
            return await StoreEvents.FindAsync(host.Store, position, cancellationToken).ConfigureAwait(false);
        }
        catch (StoreDamagedException)
        {
            return null;
        }
        catch (Exception e) when (e is EventStoreException || FollowerHost.IsOfThisProcess(e))
        {
            throw new RequestDelayedException(e.Message, e);
        }
    }
}
