namespace Opossum.Storage.Index;

/// <summary>Ascending positions and a place in them, from which the next one is sought in either direction.</summary>
internal abstract class Postings
{
    public abstract int Count { get; }

    public int Seek(int target, bool backwards) => backwards ? SeekBackward(target) : SeekForward(target);

    /// <summary>The lowest position at or above the target; <see cref="PositionCursor.None"/> when there is none. Targets must not fall.</summary>
    protected abstract int SeekForward(int target);

    /// <summary>The highest position at or below the target; <see cref="PositionCursor.None"/> when there is none. Targets must not rise.</summary>
    protected abstract int SeekBackward(int target);
}
