namespace Opossum.Cli.Benching;

/// <summary>A measured figure: the time of one operation, in microseconds.</summary>
internal sealed record BenchFigure
{
    public required string Name { get; init; }

    public required double MedianMicroseconds { get; init; }

    public required double MeanMicroseconds { get; init; }

    /// <summary>99 of 100 operations took at most this long.</summary>
    public required double P99Microseconds { get; init; }

    /// <summary>How many of the unit are done in a second, by the mean.</summary>
    public required double PerSecond { get; init; }

    public required int Measured { get; init; }

    /// <summary>What <see cref="PerSecond"/> counts: events, files, writes or openings.</summary>
    public required string Unit { get; init; }

    /// <param name="name">What was measured.</param>
    /// <param name="unit">What is counted.</param>
    /// <param name="units">How many of it each operation did.</param>
    /// <param name="times">The time of each operation: at least one.</param>
    public static BenchFigure Of(string name, string unit, int units, IEnumerable<TimeSpan> times)
    {
        var sorted = times.Select(time => time.TotalMicroseconds / units).Order().ToArray();
        var mean = sorted.Average();
        return new BenchFigure
        {
            Name = name,
            Unit = unit,
            MedianMicroseconds = sorted[sorted.Length / 2],
            MeanMicroseconds = mean,
            P99Microseconds = sorted[(sorted.Length - 1) * 99 / 100],
            PerSecond = 1_000_000 / mean,
            Measured = sorted.Length,
        };
    }
}
