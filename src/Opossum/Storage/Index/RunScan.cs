namespace Opossum.Storage.Index;

/// <summary>Goes through the names of a run in their order.</summary>
internal sealed class RunScan(IndexRun run)
{
    private readonly NameHash hash = new(run.Header.StoreId);
    private RunReader reader = new(run, run.NamesPage, offset: 0, isPassing: true);
    private long next;

    public IndexRun Run => run;

    /// <summary>The name's UTF-8 text.</summary>
    public byte[] Text { get; private set; } = [];

    public ulong Hash { get; private set; }

    public RunPlace Place { get; private set; }

    public bool MoveNext()
    {
        if (next >= run.Header.NamesLength)
            return false;
        reader.Skip(next - reader.Offset);
        var (length, isType) = run.ReadLength(ref reader);
        Text = new byte[length];
        reader.Read(Text);
        Hash = hash.Of(Text, isType);
        Place = run.ReadPlace(ref reader, isType);
        next = Place.ListOffset + Place.ListLength;
        return true;
    }

    public void AddPositionsTo(RunEntry entry)
    {
        var positions = entry.Add(Place.Count);
        if (Place.Count <= RunWriter.BlockLength)
        {
            run.ReadList(ref reader, positions);
            return;
        }
        var firsts = new int[(Place.Count + RunWriter.BlockLength - 1) / RunWriter.BlockLength];
        foreach (ref var first in firsts.AsSpan())
        {
            first = run.NextOf(run.Basis, reader.ReadUInt32());
            reader.ReadUInt32();
        }
        for (var at = 0; at < positions.Length; at++)
        {
            positions[at] = at % RunWriter.BlockLength == 0 ? firsts[at / RunWriter.BlockLength]
                : run.NextOf(positions[at - 1], reader.ReadVarint());
        }
    }

    /// <summary>Goes through the names of several runs in their order; each name with the runs that have it, in the order given.</summary>
    public static IEnumerable<List<RunScan>> Merge(IReadOnlyList<IndexRun> runs)
    {
        var scans = new List<RunScan>(runs.Count);
        foreach (var run in runs)
        {
            var scan = new RunScan(run);
            if (scan.MoveNext())
                scans.Add(scan);
        }
        var lowest = new List<RunScan>(scans.Count);
        while (scans.Count > 0)
        {
            lowest.Clear();
            foreach (var scan in scans)
            {
                var order = lowest.Count == 0 ? 0 : RunOrder.Compare(scan, lowest[0]);
                if (order < 0)
                    lowest.Clear();
                if (order <= 0)
                    lowest.Add(scan);
            }
            yield return lowest;
            foreach (var scan in lowest)
            {
                if (!scan.MoveNext())
                    scans.Remove(scan);
            }
        }
    }
}
