using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>An event that is given out and not done.</summary>
/// <param name="order">Its number among the given-out events; neighbours in the query have neighbouring numbers.</param>
/// <param name="interrupted">How many attempts may have begun under former leaders.</param>
/// <param name="ended">How many attempts have failed.</param>
internal sealed class Handling(SequencedEvent e, string key, long order, int interrupted, int ended)
{
    public SequencedEvent Event => e;

    public string Key => key;

    public long Order => order;

    /// <summary>How many attempts have failed.</summary>
    public int Ended { get; set; } = ended;

    /// <summary>How many of them failed in this process.</summary>
    public int Failures { get; set; }

    /// <summary>Whether it is handled; set by the term, not by the thread that has handled it.</summary>
    public bool IsDone { get; set; }

    public int Attempt => interrupted + Ended + 1;

    /// <summary>The error of the last attempt.</summary>
    public Exception? Error { get; set; }

    /// <summary>The attempts that have failed in this process: the first one and the last nine.</summary>
    public List<ReactionAttempt> Failed => field ??= [];

    /// <summary>Notes that the present attempt has failed.</summary>
    public void Fail(DateTimeOffset at)
    {
        if (Failed.Count == ParkedFile.AttemptsMax)
            Failed.RemoveAt(1);
        Failed.Add(new ReactionAttempt
        {
            Number = Attempt,
            EndedAt = at,
            Error = ParkedFile.CutError(Error!.ToString()),
        });
        Ended++;
        Failures++;
    }

    /// <summary>The store's head when the event was read.</summary>
    public long Head { get; init; }

    /// <summary>The error of the function that names the key; its every attempt fails with it.</summary>
    public Exception? KeyError { get; init; }
}
