using System.Text;

namespace Opossum.Storage.Index;

/// <summary>A run made of neighbouring runs.</summary>
internal sealed class MergeSource : IRunSource
{
    private readonly List<IndexRun> runs;
    // The merged run's numbers of the types of each run.
    private readonly int[][] typeNumbers;

    /// <param name="cancellationToken">Ends the count of their names.</param>
    public MergeSource(List<IndexRun> runs, CancellationToken cancellationToken)
    {
        this.runs = runs;
        typeNumbers = new int[runs.Count][];
        Types = MergeTypes();
        Keys = MergeKeys();
        Header = runs[0].Header with
        {
            Last = runs[^1].Last,
            LastFrame = runs[^1].Header.LastFrame,
            FrameEnd = runs[^1].Header.FrameEnd,
            Chain = runs[^1].Header.Chain,
            LineEnd = runs[^1].Header.LineEnd,
            TypeCount = Types.Count,
            TypeTableLength = RunTables.LengthOfTypes(Types),
            KeyTableLength = RunTables.LengthOfKeys(Keys),
            NameCount = CountNames(cancellationToken),
        };
    }

    public RunHeader Header { get; }

    public IReadOnlyList<(byte[] Text, int Events)> Types { get; }

    public IReadOnlyList<NameUse> Keys { get; }

    public IEnumerable<(int Type, long LineEnd)> Events()
    {
        for (var at = 0; at < runs.Count; at++)
        {
            var (run, numbers) = (runs[at], typeNumbers[at]);
            byte[] groups = [], starts = [], types = [];
            var type = 0;
            for (var number = 0; number < run.Header.Count; number++)
            {
                if (number % (RunHeader.GroupsInPage * RunHeader.LinesInGroup) == 0)
                    groups = run.ReadPage(RunHeader.GroupsPage + number / RunHeader.LinesInGroup / RunHeader.GroupsInPage);
                if (number % RunHeader.StartsInPage == 0)
                    starts = run.ReadPage(run.Header.StartsPage + number / RunHeader.StartsInPage);
                // A copy begins where the one before it ends.
                if (number > 0)
                {
                    yield return (type,
                        run.Within(IndexRun.GroupStartIn(groups, number / RunHeader.LinesInGroup) + IndexRun.StartIn(starts, number)));
                }
                if (number % run.Header.TypesInPage == 0)
                    types = run.ReadPage(run.Header.TypesPage + number / run.Header.TypesInPage);
                type = numbers[run.TypeIn(types, number)];
            }
            yield return (type, run.Header.LineEnd);
        }
    }

    public IEnumerable<RunEntry> Names()
    {
        var entry = new RunEntry();
        foreach (var scans in RunScan.Merge(runs))
        {
            var first = scans[0];
            entry.Begin(first.Text, first.Place.TypeNumber < 0 ? -1 : typeNumbers[runs.IndexOf(first.Run)][first.Place.TypeNumber], first.Hash);
            foreach (var scan in scans)
                scan.AddPositionsTo(entry);
            yield return entry;
        }
    }

    // Most names of a run are in its neighbours too: filter and directory would be several times as large for the sum of the runs' numbers.
    private int CountNames(CancellationToken cancellationToken)
    {
        var count = 0;
        foreach (var _ in RunScan.Merge(runs))
        {
            if (count++ % 1024 == 0)
                cancellationToken.ThrowIfCancellationRequested();
        }
        return count;
    }

    private List<(byte[] Text, int Events)> MergeTypes()
    {
        var merged = new List<(byte[] Text, int Events)>();
        var known = new Dictionary<string, int>(StringComparer.Ordinal);
        for (var at = 0; at < runs.Count; at++)
        {
            var types = RunTables.ReadTypes(runs[at]);
            typeNumbers[at] = new int[types.Count];
            for (var number = 0; number < types.Count; number++)
            {
                // A key of one character a byte: no two texts have the same.
                var key = Encoding.Latin1.GetString(types[number].Text);
                if (!known.TryGetValue(key, out var there))
                {
                    known.Add(key, there = merged.Count);
                    merged.Add((types[number].Text, 0));
                }
                merged[there] = (merged[there].Text, merged[there].Events + types[number].Events);
                typeNumbers[at][number] = there;
            }
        }
        return merged;
    }

    private List<NameUse> MergeKeys()
    {
        var merged = new Dictionary<string, NameUse>(StringComparer.Ordinal);
        foreach (var run in runs)
        {
            foreach (var key in RunTables.ReadKeys(run))
                NameUse.Of(key.Name, merged).Events += key.Events;
        }
        return [.. merged.Values.OrderBy(static use => use.Name, StringComparer.Ordinal)];
    }
}
