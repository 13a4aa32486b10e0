namespace Opossum.Benchmarks.Compare;

/// <summary>All that was measured on one disk.</summary>
/// <param name="Disk">The file system and its device, in words.</param>
/// <param name="FlushesPerCommit">How many device flushes a commit of the journal takes: 1, or 2 on a device without FUA. Null: not known.</param>
/// <param name="Settings">How much was measured.</param>
/// <param name="Rows">What was timed.</param>
/// <param name="Bytes">What was weighed: names of <see cref="Measure"/> and bytes.</param>
internal sealed record ComparisonResult(string Disk, int? FlushesPerCommit, CompareSettings Settings, IReadOnlyList<Row> Rows, IReadOnlyDictionary<string, double> Bytes)
{
    public Row Row(string measure) => Rows.Single(row => row.Measure == measure);

    /// <summary>The median in microseconds.</summary>
    public double Median(string measure, string contender) => Row(measure).Of(contender).Microseconds.Median;

    /// <summary>How many times as long the one takes as the other.</summary>
    public double Ratio(string measure, string contender, string against) => Median(measure, contender) / Median(measure, against);
}
