namespace Opossum.Storage.Index;

/// <summary>Which positions are in which run: a function of the frames, so that all processes make the same runs.</summary>
internal static class RunMaking
{
    /// <summary>Whether a position is the last one of a smallest run that begins after the basis.</summary>
    public static bool IsEnd(int basis, int position, int length) => position / length > basis / length;

    /// <summary>Fills an empty tail with the frames of one smallest run; null when the frames end before, or are damaged.</summary>
    public static FrameRange? TryFill(IndexTail tail, FrameReader frames, long end, int length)
    {
        var (start, chain) = (frames.Offset, tail.Chain);
        while (true)
        {
            var last = frames.Offset;
            if (!frames.TryAdd(tail, end))
                return null;
            if (IsEnd(tail.Basis, tail.Head, length))
                return new FrameRange(start, last, frames.Offset, chain);
        }
    }

    /// <summary>
    /// The next neighbouring runs that become one: all runs of a block of positions, once none can follow in it. Empty when there are none.
    /// </summary>
    public static List<IndexRun> NextToMerge(IReadOnlyList<IndexRun> runs, RunSettings settings)
    {
        for (var length = (long)settings.Length * settings.Fan; length <= settings.LengthMax; length *= settings.Fan)
        {
            for (var at = 0; at < runs.Count;)
            {
                var block = runs[at].Basis / length;
                var count = 1;
                while (at + count < runs.Count && runs[at + count].Basis / length == block)
                    count++;
                if (count > 1 && runs[at + count - 1].Last / length > block)
                    return [.. runs.Skip(at).Take(count)];
                at += count;
            }
        }
        return [];
    }
}
