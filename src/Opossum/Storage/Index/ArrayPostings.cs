namespace Opossum.Storage.Index;

/// <summary>The first positions of an array.</summary>
internal sealed class ArrayPostings(int[] positions, int count) : Postings
{
    private int forward;
    private int backward = count - 1;

    public override int Count => count;

    public ReadOnlySpan<int> All => positions.AsSpan(0, count);

    protected override int SeekForward(int target)
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

    protected override int SeekBackward(int target)
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

    private int LowerBound(int low, int high, int target)
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
