using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;
using Spectre.Console;

namespace Opossum.Benchmarks.Compare;

/// <summary>One run over all measures on one disk.</summary>
internal sealed class Comparison(WorkFolder folder, WorkFolder storesFolder, CompareSettings settings, CancellationToken cancellationToken)
{
    private readonly List<Row> rows = [];
    private readonly Dictionary<string, double> bytes = [];

    public CompareSettings Settings => settings;

    public WorkFolder Folder => folder;

    /// <summary>What was measured so far.</summary>
    public IReadOnlyList<Row> Rows => rows;

    public FilledStores Stores { get; } = new(storesFolder, cancellationToken);

    public CancellationToken CancellationToken => cancellationToken;

    public async Task<ComparisonResult> RunAsync()
    {
        await new AppendMeasures(this).RunAsync();
        await new ConditionMeasures(this).RunAsync();
        await new ReadMeasures(this).RunAsync();
        await new OpeningMeasures(this).RunAsync();
        await new TagMeasures(this).RunAsync();
        await new ByteMeasures(this).RunAsync();
        var flushesPerCommit = folder.Device is { } device ? device.HasFua ? 1 : 2 : (int?)null;
        return new ComparisonResult(Machine.DescribeDisk(folder), flushesPerCommit, settings, rows, bytes);
    }

    /// <summary>Measures contenders in turns; several measures at once are also interleaved.</summary>
    /// <param name="rounds">The number of rounds in a full run.</param>
    /// <param name="isPerEvent">Whether the times are of one event.</param>
    /// <param name="measures">Each with the slices of its contenders.</param>
    public Task MeasureAsync(int rounds, bool isPerEvent, params (string Measure, IReadOnlyList<Slice> Slices)[] measures) =>
        MeasureAsync(rounds, repeats: 1, WarmUp.Of(settings.IsShort), isPerEvent, measures);

    /// <inheritdoc cref="MeasureAsync(int, bool, ValueTuple{string, IReadOnlyList{Slice}}[])"/>
    /// <inheritdoc cref="Interleaved.RunAsync" path="/param[@name='repeats' or @name='warmUp']"/>
    public async Task MeasureAsync(int rounds, int repeats, TimeSpan warmUp, bool isPerEvent,
        params (string Measure, IReadOnlyList<Slice> Slices)[] measures)
    {
        var all = await Interleaved.RunAsync([.. measures.SelectMany(each => each.Slices)], settings.Rounds(rounds), warmUp, folder,
            cancellationToken, repeats);
        var at = 0;
        foreach (var (measure, slices) in measures)
        {
            var row = new Row(measure, isPerEvent, [.. all.Skip(at).Take(slices.Count)]);
            at += slices.Count;
            rows.Add(row);
            AnsiConsole.WriteLine($"{measure}: "
                + $"{string.Join(", ", row.Contenders.Select(each => $"{each.Contender} {Number.Time(each.Microseconds.Median)}"))}");
        }
    }

    /// <summary>Records the system calls per event for an earlier measure.</summary>
    public async Task CountSystemCallsAsync(string measure, AppendWay way)
    {
        var at = rows.FindIndex(row => row.Measure == measure);
        var calls = new Dictionary<string, double>();
        foreach (var contender in rows[at].Contenders)
        {
            if (await SystemCalls.PerEventAsync(folder.Path, contender.Contender, way, cancellationToken) is { } count)
                calls.Add(contender.Contender, count);
        }
        rows[at] = rows[at] with { SystemCalls = calls };
    }

    public void Note(string measure, double value)
    {
        bytes.Add(measure, value);
        AnsiConsole.WriteLine($"{measure}: {Number.Plain(value)}");
    }

    /// <summary>The order of tables and charts.</summary>
    public static IReadOnlyList<string> Contenders { get; } =
        [ContenderName.Opossum, ContenderName.RawFiles, ContenderName.RawLog, ContenderName.Sqlite, ContenderName.GroupedSqlite];

    /// <summary>Those that are event stores.</summary>
    public static IReadOnlyList<string> StoreContenders { get; } = [ContenderName.Opossum, ContenderName.Sqlite];
}
