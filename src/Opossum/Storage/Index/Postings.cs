namespace Opossum.Storage.Index;

/// <summary>Ascending positions and a place in them, from which the next one is sought in either direction.</summary>
internal struct Postings(int[] positions, int count)
{
    private int forward;
    private int backward = count - 1;

    public readonly int Count => count;

    /// <summary>The lowest position at or above the target; <see cref="PositionCursor.None"/> when there is none. Targets must not fall.</summary>
    public int SeekForward(int target)
    {
        if (forward < count && positions[forward] < target)
        {
            var step = 1;
            var low = forward;
            while (low + step < count && positions[low + step] < target)
            {
                low += step;
                step *= 2;
            }
            forward = LowerBound(low + 1, Math.Min(low + step, count), target);
        }
        return forward < count ? positions[forward] : PositionCursor.None;
    }

    /// <summary>The highest position at or below the target; <see cref="PositionCursor.None"/> when there is none. Targets must not rise.</summary>
    public int SeekBackward(int target)
    {
        if (backward >= 0 && positions[backward] > target)
        {
            var step = 1;
            var high = backward;
            while (high - step >= 0 && positions[high - step] > target)
            {
                high -= step;
                step *= 2;
            }
            backward = LowerBound(Math.Max(high - step, 0), high, target + 1) - 1;
        }
        return backward >= 0 ? positions[backward] : PositionCursor.None;
    }

    private readonly int LowerBound(int low, int high, int target)
    {
        while (low < high)
        {
            var middle = (int)(((uint)low + (uint)high) / 2);
            if (positions[middle] < target)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
}
