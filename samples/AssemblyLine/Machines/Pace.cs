using System.Diagnostics;

namespace AssemblyLine;

/// <summary>Determines when the next event is due: bursts at twice the rate, each followed by a rest that evens it out.</summary>
internal sealed class Pace(double eventsPerSecond, Random random)
{
    private readonly Stopwatch clock = Stopwatch.StartNew();
    private int left;
    private TimeSpan restUntil;
    private TimeSpan next;

    public async Task WaitAsync(CancellationToken stop)
    {
        if (left == 0)
        {
            await WaitUntilAsync(restUntil, stop);
            left = random.Next(20, 60);
            next = clock.Elapsed;
            restUntil = next + TimeSpan.FromSeconds(left / eventsPerSecond);
        }
        left--;
        await WaitUntilAsync(next, stop);
        // Counted from the due time, so the duration of an append causes no delay; but missed events are not made up for.
        var step = TimeSpan.FromSeconds(0.5 / eventsPerSecond);
        next = clock.Elapsed > next + step ? clock.Elapsed : next + step;
    }

    private async Task WaitUntilAsync(TimeSpan due, CancellationToken stop)
    {
        if (due - clock.Elapsed is { Ticks: > 0 } pause)
            await Task.Delay(pause, stop);
    }
}
