namespace Opossum.Storage.Index;

/// <summary>Ascending positions and a place in them, from which the next one is sought in either direction.</summary>
internal abstract class Postings
{
    /// <summary>The number of positions.</summary>
    public abstract int Count { get; }

    /// <summary>The lowest position at or above the target; <see cref="PositionCursor.None"/> when there is none. Targets must not fall.</summary>
    public abstract int SeekForward(int target);

    /// <summary>The highest position at or below the target; <see cref="PositionCursor.None"/> when there is none. Targets must not rise.</summary>
    public abstract int SeekBackward(int target);
}
