using Opossum.Storage.Index;

namespace Opossum.Storage.Reading;

/// <summary>
/// Finds the lines of many events. A run says where each group of them begins in pages that stay in memory; the places of single lines
/// take many more pages, and are asked for only where a group is long.
/// </summary>
internal sealed class LinePlaces(IndexContents contents, StoreLayout layout)
{
    // A group is read as a whole: of usual events, not more than a page.
    private const int GroupBytesMax = 8 * 1024;

    private IndexRun? run;
    private int group;
    private long groupStart;
    private long groupEnd;
    private bool isInOneSegment;

    public LinePlace Of(int position)
    {
        if (position > contents.Tail.Basis)
            return Alone(position);
        if (run is null || position <= run.Basis || position > run.Last)
        {
            run = contents.RunOf(position);
            group = -1;
        }
        var number = position - run.Basis - 1;
        if (number / RunHeader.LinesInGroup != group)
        {
            // The places of neighbours are asked for one after the other.
            var isNext = group >= 0 && number / RunHeader.LinesInGroup == group + 1;
            group = number / RunHeader.LinesInGroup;
            var first = run.Basis + 1 + group * RunHeader.LinesInGroup;
            isInOneSegment = layout.ShardOf(first) == layout.ShardOf(Math.Min(run.Last, first + RunHeader.LinesInGroup - 1));
            groupStart = isNext ? groupEnd : run.GroupStart(group);
            groupEnd = run.GroupStart(group + 1);
            if (groupEnd < groupStart)
                throw run.Forged();
        }
        var before = number % RunHeader.LinesInGroup;
        return isInOneSegment && groupEnd - groupStart <= GroupBytesMax
            ? new LinePlace(position, groupStart, (int)(groupEnd - groupStart), before,
                Math.Min(RunHeader.LinesInGroup, run.Last - run.Basis - group * RunHeader.LinesInGroup))
            : Alone(position);
    }

    private LinePlace Alone(int position)
    {
        var start = contents.LineStart(position);
        var length = contents.LineEnd(position) - start;
        // One that no line has: none is found there.
        return new LinePlace(position, start, length is > 0 and <= StoreLayout.LineBytesMax ? (int)length : 0, Before: 0, Count: 1);
    }
}
