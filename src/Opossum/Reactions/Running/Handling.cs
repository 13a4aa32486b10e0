using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>An event that is given out and not done.</summary>
/// <param name="order">Its number among the given-out events; neighbours in the query have neighbouring numbers.</param>
/// <param name="begun">How many attempts may have begun before.</param>
/// <param name="charged">See <see cref="Charged"/>.</param>
internal sealed class Handling(SequencedEvent e, string key, long order, int begun, int charged)
{
    public SequencedEvent Event => e;

    public string Key => key;

    public long Order => order;

    /// <summary>
    /// How many attempts have failed or ended with their process. Of an event that is not counted: at how many ends of processes it was open.
    /// </summary>
    public int Charged => charged;

    /// <summary>Whether it is handled; set by the term, not by the thread that has handled it.</summary>
    public bool IsDone { get; set; }

    /// <summary>The number of the present attempt, or the next one.</summary>
    public int Attempt => begun + 1;

    /// <summary>Whether its attempts are known one by one, because one has failed or was cancelled.</summary>
    public bool IsCounted { get; set; }

    /// <summary>Whether the checkpoint has the present attempt before it begins.</summary>
    public bool IsStarted { get; set; }

    /// <summary>Whether the present attempt was the last one and ended with a former leader's process: it fails with that.</summary>
    public bool IsLost { get; init; }

    /// <summary>Whether a handler may have it, or has had it and the term does not know yet.</summary>
    public bool HasBegun { get; set; }

    /// <summary>How many attempts may have begun, and how many are charged, for the checkpoint; null: it does not count them.</summary>
    public (int Begun, int Charged)? Attempts => IsStarted ? (begun + 1, charged + 1) : IsCounted ? (begun, charged) : null;

    /// <summary>The error of the last attempt.</summary>
    public Exception? Error { get; set; }

    /// <summary>The attempts that have failed in this process: the first one and the last nine.</summary>
    public List<ReactionAttempt> Failed => field ??= [];

    /// <summary>Notes that the present attempt has failed.</summary>
    /// <param name="isCharged">Whether the event may be to blame.</param>
    public void Fail(DateTimeOffset at, bool isCharged)
    {
        if (Failed.Count == ParkedFile.AttemptsMax)
            Failed.RemoveAt(1);
        Failed.Add(new ReactionAttempt
        {
            Number = Attempt,
            EndedAt = at,
            Error = LedFolder.Cut(Error!.ToString()),
        });
        begun++;
        Count(isCharged ? 1 : 0);
        IsStarted = HasBegun = false;
    }

    /// <summary>Notes that it is not handled any more in this term: what has begun is cancelled, and does not count.</summary>
    public void End()
    {
        if (IsLost)
            return;
        if (HasBegun)
        {
            begun++;
            Count(0);
        }
        IsStarted = HasBegun = false;
    }

    // The processes that ended while it was open did so because of another event: its own attempt did not end this one.
    private void Count(int charge)
    {
        charged = IsCounted ? charged + charge : charge;
        IsCounted = true;
    }

    /// <summary>The store's head when the event was read.</summary>
    public long Head { get; init; }

    /// <summary>The error of the function that names the key; its every attempt fails with it.</summary>
    public Exception? KeyError { get; init; }
}
