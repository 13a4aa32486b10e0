namespace Opossum.Following;

/// <summary>One process's term as a leader.</summary>
internal interface IFollowerTerm : IAsyncDisposable
{
    /// <summary>Whether the term has ended because it shall go on from another position: the next one begins there.</summary>
    bool IsOver { get; }

    /// <summary>The position after which an event is something to do; null: no event is.</summary>
    long? WakesAfter { get; }

    /// <summary>What cannot be done for now, although the term continues; null: nothing.</summary>
    FollowerProblem? Problem { get; }

    /// <summary>Writes what was done, when the follower is stopped between two steps or in one that it left undone.</summary>
    ValueTask StopAsync();

    /// <summary>Throws unless this process still leads; see <see cref="Leadership.ThrowIfLost"/>.</summary>
    void ThrowIfLost();

    /// <summary>
    /// A folder of this term that is missing, because another process has taken the lead, or it was moved or deleted; null: none is missing.
    /// </summary>
    string? FindGone();
}
