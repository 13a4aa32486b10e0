namespace Opossum.Benchmarks.Compare;

/// <summary>Everything measured on one disk.</summary>
/// <param name="Disk">A description of the file system and its device.</param>
/// <param name="FlushesPerCommit">The device flushes per journal commit: 1, or 2 on a device without FUA; null when unknown.</param>
/// <param name="Settings">How much was measured.</param>
/// <param name="Rows">What was timed.</param>
/// <param name="Bytes">The byte counts: names of <see cref="Measure"/> and bytes.</param>
internal sealed record ComparisonResult(string Disk, int? FlushesPerCommit, CompareSettings Settings, IReadOnlyList<Row> Rows,
    IReadOnlyDictionary<string, double> Bytes)
{
    public Row Row(string measure) => Rows.Single(row => row.Measure == measure);

    /// <summary>The median in microseconds.</summary>
    public double Median(string measure, string contender) => Row(measure).Of(contender).Microseconds.Median;

    /// <summary>The ratio of one time to the other.</summary>
    public double Ratio(string measure, string contender, string against) => Median(measure, contender) / Median(measure, against);
}
