using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Rows;

/// <summary>What others have published of the same measures.</summary>
internal static class PublishedFigures
{
    // node-event-storage's documentation: startup, write and read in milliseconds, by partitions, then by indexes.
    private static readonly (string Of, double Opening, double Append, double Read)[] nodeEventStorage =
    [
        (ReadRows.Tags(100), 7.1, 0.076, 0.061),
        (ReadRows.Tags(1_000), 43.4, 0.059, 0.023),
        (ReadRows.Tags(5_000), 177.9, 0.087, 0.024),
        (ReadRows.Tags(10_000), 355.5, 0.404, 0.025),
        (ReadRows.Tags(20_000), 871.4, 0.352, 0.031),
        (ReadRows.Types(100), 2.9, 0.030, 0.022),
        (ReadRows.Types(1_000), 22.1, 0.034, 0.022),
        (ReadRows.Types(5_000), 246.2, 0.049, 0.057),
    ];

    private static readonly Dictionary<string, double> milliseconds =
        nodeEventStorage.SelectMany(static each => new (string Measure, double Time)[]
        {
            (each.Of + ReadRows.Opening, each.Opening),
            (each.Of + ReadRows.AppendNotFlushed, each.Append),
            (each.Of + ReadRows.OneEvent, each.Read),
        }).ToDictionary();

    /// <summary>The published time of a measure; none when none is known.</summary>
    public static IEnumerable<string> Of(string measure) =>
        milliseconds.TryGetValue(measure, out var time) ? [Number.Time(1_000 * time)] : [];
}
