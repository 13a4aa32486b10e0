using Opossum.Following;

namespace Opossum.Reactions.Running;

/// <summary>
/// Handles events: those of a key one after another, those of different keys side by side. It touches no files: what is done and what has failed
/// is collected for the term.
/// </summary>
/// <param name="workersMax">How many events are handled at the same time.</param>
/// <param name="start">Starts a worker: on the pool, or, where every operation must have its place, on the caller's thread.</param>
/// <param name="sizes">How many events are taken at a time.</param>
internal sealed class Lanes(int workersMax, Func<Func<Task>, Task> start, ReactionSizes sizes, Func<Handling, CancellationToken, Task> handle)
    : IAsyncDisposable
{
    private readonly Lock gate = new();
    private readonly Dictionary<string, Lane> lanes = new(StringComparer.Ordinal);
    private readonly Queue<Lane> ready = new();
    private readonly CancellationTokenSource stopping = new();
    private readonly List<Task> working = [];
    private readonly HashSet<long> handled = [];
    private List<Handling> done = [];
    private List<Handling> failed = [];
    private int workers;

    /// <summary>Pulsed when an event has failed, when nothing is left to handle, and when many events are done.</summary>
    public Signal Progressed { get; } = new();

    /// <summary>Gives out events, in the order of positions.</summary>
    public void Add(IEnumerable<Handling> handlings)
    {
        int begun;
        lock (gate)
        {
            foreach (var each in handlings)
            {
                if (!lanes.TryGetValue(each.Key, out var lane))
                    lanes.Add(each.Key, lane = new Lane(each.Key));
                lane.Waiting.Enqueue(each);
                Schedule(lane);
            }
            begun = TakeWorkers();
        }
        Start(begun);
    }

    /// <summary>Whether no event is with a handler, or about to be.</summary>
    public bool IsIdle
    {
        get
        {
            lock (gate)
                return workers == 0;
        }
    }

    /// <summary>Whether an event of a key is given out and not done.</summary>
    public bool Has(string key)
    {
        lock (gate)
            return lanes.ContainsKey(key);
    }

    /// <summary>What has been done and what has failed since the last call.</summary>
    public (List<Handling> Done, List<Handling> Failed) Take()
    {
        lock (gate)
        {
            var taken = (done, failed);
            (done, failed) = ([], []);
            return taken;
        }
    }

    /// <summary>Tries the failed event of a key again.</summary>
    public void Resume(Handling handling)
    {
        int begun;
        lock (gate)
        {
            var lane = lanes[handling.Key];
            lane.IsHeld = false;
            Schedule(lane);
            begun = TakeWorkers();
        }
        Start(begun);
    }

    /// <summary>Takes the failed event of a key out; the others of the key go on, or the later ones are taken out with it.</summary>
    /// <returns>What was taken out, the failed event first.</returns>
    public List<Handling> Remove(Handling handling, bool withLater)
    {
        int begun;
        List<Handling> removed;
        lock (gate)
        {
            var lane = lanes[handling.Key];
            removed = [lane.Waiting.Dequeue()];
            // One that is retried on request comes after events with higher positions.
            for (var others = withLater ? lane.Waiting.Count : 0; others > 0; others--)
            {
                var each = lane.Waiting.Dequeue();
                if (each.Event.Position > handling.Event.Position)
                    removed.Add(each);
                else
                    lane.Waiting.Enqueue(each);
            }
            lane.IsHeld = false;
            if (lane.Waiting.Count > 0)
                Schedule(lane);
            else
                lanes.Remove(lane.Key);
            begun = TakeWorkers();
        }
        Start(begun);
        return removed;
    }

    /// <summary>The positions of the events that are with handlers at this moment.</summary>
    public List<long> FindHandled()
    {
        lock (gate)
            return [.. handled.Order()];
    }

    /// <summary>Cancels what is being handled, and waits until its handlers have returned. Nothing is handled after that.</summary>
    public async Task StopAsync()
    {
        if (!stopping.IsCancellationRequested)
        {
            // A handler may have given its token a callback that throws.
            await stopping.CancelAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        Task[] all;
        lock (gate)
            all = [.. working];
        await Task.WhenAll(all).ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync().ConfigureAwait(false);
        stopping.Dispose();
    }

    private void Schedule(Lane lane)
    {
        if (lane.IsScheduled || lane.IsHeld)
            return;
        lane.IsScheduled = true;
        ready.Enqueue(lane);
    }

    private int TakeWorkers()
    {
        var begun = Math.Min(workersMax - workers, ready.Count);
        workers += begun;
        return begun;
    }

    // Outside the gate: a worker may run on this thread.
    private void Start(int count)
    {
        for (; count > 0; count--)
        {
            var worker = start(WorkAsync);
            if (worker.IsCompletedSuccessfully)
                continue;
            lock (gate)
            {
                working.RemoveAll(static each => each.IsCompleted);
                working.Add(worker);
            }
        }
    }

    private async Task WorkAsync()
    {
        while (TakeLane() is { } lane)
        {
            for (var turns = sizes.EventsATurn; await HandleFirstAsync(lane, turns).ConfigureAwait(false); turns--)
            {
                // The next event of the key.
            }
        }
    }

    private Lane? TakeLane()
    {
        var isIdle = false;
        lock (gate)
        {
            if (!stopping.IsCancellationRequested && ready.TryDequeue(out var lane))
                return lane;
            isIdle = --workers == 0;
        }
        if (isIdle)
            Progressed.Pulse();
        return null;
    }

    // False: the worker is through with the lane for now.
    private async ValueTask<bool> HandleFirstAsync(Lane lane, int turns)
    {
        Handling first;
        lock (gate)
        {
            first = lane.Waiting.Peek();
            first.HasBegun = true;
            handled.Add(first.Event.Position);
        }
        try
        {
            await handle(first, stopping.Token).ConfigureAwait(false);
        }
        catch (Exception) when (stopping.IsCancellationRequested)
        {
            return false;
        }
        catch (Exception e)
        {
            first.Error = e;
            Hold(lane, first);
            return false;
        }
        finally
        {
            lock (gate)
                handled.Remove(first.Event.Position);
        }
        return Finish(lane, first, turns);
    }

    private void Hold(Lane lane, Handling first)
    {
        lock (gate)
        {
            lane.IsScheduled = false;
            lane.IsHeld = true;
            failed.Add(first);
        }
        Progressed.Pulse();
    }

    private bool Finish(Lane lane, Handling first, int turns)
    {
        bool goesOn, isMuch;
        lock (gate)
        {
            lane.Waiting.Dequeue();
            done.Add(first);
            isMuch = done.Count == sizes.DoneAtOnce;
            goesOn = lane.Waiting.Count > 0 && turns > 1 && !stopping.IsCancellationRequested;
            if (!goesOn)
            {
                lane.IsScheduled = false;
                if (lane.Waiting.Count == 0)
                    lanes.Remove(lane.Key);
                else
                    Schedule(lane);
            }
        }
        if (isMuch)
            Progressed.Pulse();
        return goesOn;
    }
}
