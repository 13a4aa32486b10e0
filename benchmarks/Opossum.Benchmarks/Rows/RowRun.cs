using Opossum.Benchmarks.Compare;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Rows;

/// <summary>The run of one group: opens contenders, lets them take turns, and reports a row of each.</summary>
/// <param name="folder">Where to measure.</param>
/// <param name="replicas">Where replicas are made.</param>
/// <param name="report">Gets the rows.</param>
/// <param name="isShort">Whether it is a run of seconds.</param>
/// <param name="cancellationToken">Ends the run.</param>
internal sealed class RowRun(WorkFolder folder, WorkFolder replicas, FigureReport report, bool isShort,
    CancellationToken cancellationToken)
{
    private const int Rounds = 10;
    private const int FillBatch = 500;

    private readonly Comparison comparison =
        new(folder, folder, new CompareSettings(FillBatch, isShort), cancellationToken);
    private TimeSpan warmUp = TimeSpan.FromSeconds(isShort ? 0 : 1);

    public WorkFolder Folder => folder;

    public WorkFolder Replicas => replicas;

    public FigureReport Report => report;

    public bool IsShort => isShort;

    public CancellationToken CancellationToken => cancellationToken;

    /// <summary>The columns of <see cref="Spread"/>.</summary>
    public static IReadOnlyList<string> Spreads { get; } =
        ["measure", "contender", "median", "mean", "p95", "p99", "longest", "events a second"];

    /// <summary>The columns of <see cref="MeasureAsync"/>; a published figure comes after them.</summary>
    public static IReadOnlyList<string> Times { get; } = ["measure", "contender", "median", "mean", "p95", "p99", "flushes"];

    /// <summary>Reports times in microseconds.</summary>
    public void Spread(string measure, string contender, IEnumerable<double> microseconds, string rate = "")
    {
        var spread = new Distribution(microseconds);
        report.Row(measure, contender, Number.Time(spread.Median), Number.Time(spread.Mean),
            Number.Time(spread.Percentile(95)), Number.Time(spread.Percentile(99)), Number.Time(spread.Max), rate);
    }

    /// <summary>The number, or the small one for a short run.</summary>
    public int Size(int full, int small) => isShort ? small : full;

    /// <summary>Opens contenders with feeds of their own, in a folder for the purpose.</summary>
    public async Task<Entrants> OpenAsync(string purpose, IReadOnlyList<string> contenders, Func<EventFeed> feed,
        bool flush = true, int filled = 0)
    {
        var entrants = new Entrants();
        foreach (var name in contenders)
            await entrants.AddAsync(OpenFilledAsync(folder.Below($"{purpose}-{name}"), name, feed(), flush, filled));
        return entrants;
    }

    /// <summary>Opens a contender that has at least the given number of events; it gets them without flushes.</summary>
    public async Task<Entrant> OpenFilledAsync(string path, string name, EventFeed feed, bool flush, int events)
    {
        if (feed.Digest.Events < events)
        {
            await using var filling = await Entrant.OpenAsync(name, path, feed, flush: false);
            while (filling.Events < events)
            {
                cancellationToken.ThrowIfCancellationRequested();
                await (await filling.Batches(1, Math.Min(FillBatch, events - filling.Events)).PrepareAsync())();
            }
        }
        folder.Settle();
        return await Entrant.OpenAsync(name, path, feed, flush);
    }

    /// <summary>
    /// Measures, each work by itself, and reports the times. The first measures of a group warm up for a second each.
    /// </summary>
    /// <param name="repeats">How often each runs in a turn.</param>
    /// <param name="measures">Each with the slices of its contenders.</param>
    public async Task MeasureAsync(int repeats, params (string Measure, IReadOnlyList<Slice> Slices)[] measures)
    {
        foreach (var (measure, each) in await MeasureQuietlyAsync(repeats, measures))
        {
            var times = each.Microseconds;
            report.Row([measure, each.Contender, Number.Time(times.Median), Number.Time(times.Mean),
                Number.Time(times.Percentile(95)), Number.Time(times.Percentile(99)),
                each.Flushes is { } flushes ? Number.Share(flushes) : "",
                .. each.Contender == ContenderName.Opossum ? PublishedFigures.Of(measure) : []]);
        }
    }

    /// <inheritdoc cref="MeasureAsync"/>
    public async Task<IEnumerable<(string Measure, Measured Of)>> MeasureQuietlyAsync(int repeats,
        params (string Measure, IReadOnlyList<Slice> Slices)[] measures)
    {
        var before = comparison.Rows.Count;
        repeats = isShort ? Math.Min(2, repeats) : repeats;
        await comparison.MeasureAsync(Rounds, repeats, warmUp, isPerEvent: true, measures);
        warmUp = TimeSpan.Zero;
        return comparison.Rows.Skip(before)
            .SelectMany(static row => row.Contenders.Select(each => (row.Measure, each)));
    }
}
