namespace AssemblyLine;

/// <summary>A histogram of durations in steps of 5 %, so that percentiles of any number of them fit into 4 KiB.</summary>
internal sealed class Latencies
{
    private const double Lowest = 0.01;
    private const double Step = 1.05;

    private readonly long[] counts = new long[500];

    public long Count { get; private set; }

    public double Max { get; private set; }

    public void Add(double milliseconds)
    {
        var step = Math.Ceiling(Math.Log(Math.Max(milliseconds, Lowest) / Lowest, Step));
        counts[(int)Math.Min(step, counts.Length - 1)]++;
        Count++;
        Max = Math.Max(Max, milliseconds);
    }

    public void Add(Latencies others)
    {
        for (var step = 0; step < counts.Length; step++)
            counts[step] += others.counts[step];
        Count += others.Count;
        Max = Math.Max(Max, others.Max);
    }

    /// <summary>Returns the duration that the given share does not exceed, rounded up by at most 5 %; 0 when there are none.</summary>
    public double Percentile(double share)
    {
        var wanted = (long)Math.Ceiling(Count * share);
        var found = 0L;
        for (var step = 0; step < counts.Length; step++)
        {
            found += counts[step];
            if (found >= wanted)
                return Math.Min(Lowest * Math.Pow(Step, step), Max);
        }
        return Max;
    }
}
