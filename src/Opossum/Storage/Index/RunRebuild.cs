using Opossum.FileSystem;

namespace Opossum.Storage.Index;

/// <summary>Makes a run again of the frames that it covers, in memory, byte for byte as it was.</summary>
internal static class RunRebuild
{
    /// <summary>Makes the run; false when the frames are not those that it covers.</summary>
    /// <param name="header">The run's first page.</param>
    public static bool TryMake(IFile index, RunHeader header, RunOutput output)
    {
        var frames = new FrameReader(index, header.FrameStart);
        var small = new List<IndexRun>();
        var (basis, line, chain) = (header.Basis, header.LineStart, header.ChainBefore);
        while (basis < header.Last)
        {
            var tail = new IndexTail(basis, line, chain);
            if (RunMaking.TryFill(tail, frames, header.FrameEnd, header.Length) is not { } range)
                return false;
            (basis, line, chain) = (tail.Head, tail.LineEnd(tail.Head), tail.Chain);
            small.Add(InMemory(new TailSource(tail, range, header.StoreId, header.Length, header.Fan)));
        }
        if (basis != header.Last || chain != header.Chain || line != header.LineEnd)
            return false;
        // Step by step, as they became one then: each step goes through all of its runs for each name.
        for (var length = (long)header.Length * header.Fan; small.Count > 1; length *= header.Fan)
            small = Merge(small, length);
        if (small[0].Header != header)
            return false;
        small[0].CopyTo(output);
        return true;
    }

    private static List<IndexRun> Merge(List<IndexRun> runs, long length)
    {
        var merged = new List<IndexRun>();
        foreach (var group in runs.GroupBy(run => run.Basis / length))
            merged.Add(group.Count() == 1 ? group.First() : InMemory(new MergeSource([.. group], CancellationToken.None)));
        return merged;
    }

    private static IndexRun InMemory(IRunSource source)
    {
        var pages = new RunPages();
        var header = RunWriter.Write(source, pages.Write, CancellationToken.None);
        return new IndexRun(header, new RunContent("", file: null, pages), new PageCache(0, new SlowReads(TimeProvider.System)),
            static (run, _) => throw run.Forged());
    }
}
