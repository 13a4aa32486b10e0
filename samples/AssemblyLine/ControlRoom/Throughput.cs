using System.Diagnostics;

namespace AssemblyLine;

/// <summary>Events per second: since the start, and in the last seconds, or since the last query if that is longer ago.</summary>
internal sealed class Throughput(long headAtStart)
{
    private static readonly TimeSpan lately = TimeSpan.FromSeconds(3);

    private readonly Stopwatch clock = Stopwatch.StartNew();
    private readonly Queue<(TimeSpan Time, long Head)> recent = new([(TimeSpan.Zero, headAtStart)]);

    public TimeSpan Elapsed => clock.Elapsed;

    public (long Events, double Mean, double Now) Take(long head)
    {
        var time = clock.Elapsed;
        recent.Enqueue((time, head));
        while (recent.Count > 2 && time - recent.Peek().Time > lately)
            recent.Dequeue();
        var oldest = recent.Peek();
        return (head - headAtStart, Rate(headAtStart, TimeSpan.Zero), Rate(oldest.Head, oldest.Time));

        double Rate(long since, TimeSpan start) => time > start ? (head - since) / (time - start).TotalSeconds : 0;
    }
}
