using Opossum.Following;

namespace Opossum.Reactions.Running;

/// <summary>The events that have failed, each until the pause before its next attempt is over.</summary>
internal sealed class Retries(ReactionHost host)
{
    private readonly PriorityQueue<Handling, long> waiting = new();

    public int Count => waiting.Count;

    /// <summary>Why an event waits that this process cannot handle, and others may; null: there is none.</summary>
    public FollowerProblem? Problem
    {
        get
        {
            foreach (var (each, _) in waiting.UnorderedItems)
            {
                if (FollowerHost.IsOfThisProcess(each.Error))
                    return new FollowerProblem { Error = each.Error!.Message, Since = each.Failed[0].EndedAt };
            }
            return null;
        }
    }

    /// <param name="pause">The pause before the next attempt; null: it grows with each failure.</param>
    public void Add(Handling handling, TimeSpan? pause = null)
    {
        var ticks = (pause ?? PauseAfter(handling.Charged)).TotalSeconds * host.Clock.TimestampFrequency;
        waiting.Enqueue(handling, host.Clock.GetTimestamp() + (long)ticks);
    }

    /// <summary>Those whose pause is over.</summary>
    public List<Handling> TakeDue()
    {
        var due = new List<Handling>();
        while (waiting.TryPeek(out var first, out var at) && at <= host.Clock.GetTimestamp())
        {
            waiting.Dequeue();
            due.Add(first);
        }
        return due;
    }

    /// <summary>The time until the next pause is over; null: nothing waits.</summary>
    public TimeSpan? TimeToNext() => waiting.TryPeek(out _, out var at)
        ? host.Clock.GetElapsedTime(host.Clock.GetTimestamp(), at) is var left && left > TimeSpan.Zero ? left : TimeSpan.Zero
        : null;

    private TimeSpan PauseAfter(int failures) =>
        Backoff.Vary(Backoff.After(failures, host.Options.RetryDelay, Backoff.Longest));
}
