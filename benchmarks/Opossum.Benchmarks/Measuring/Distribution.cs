namespace Opossum.Benchmarks.Measuring;

/// <summary>The results of repeated measurements.</summary>
internal sealed class Distribution
{
    private readonly double[] sorted;

    public Distribution(IEnumerable<double> values)
    {
        sorted = [.. values.Order()];
        if (sorted.Length == 0)
            throw new ArgumentException("Nothing was measured.", nameof(values));
    }

    public double Median => Percentile(50);

    public double Mean => sorted.Average();

    public double LowerQuartile => Percentile(25);

    public double UpperQuartile => Percentile(75);

    public double Min => sorted[0];

    public double Max => sorted[^1];

    public int Count => sorted.Length;

    /// <summary>The value that a percentage do not exceed, between two of them in proportion.</summary>
    public double Percentile(double percent)
    {
        var place = percent / 100 * (sorted.Length - 1);
        var below = (int)place;
        var above = Math.Min(below + 1, sorted.Length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }

    public Distribution Each(Func<double, double> convert) => new(sorted.Select(convert));
}
