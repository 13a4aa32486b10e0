namespace Opossum.Storage.Index;

/// <summary>
/// Finds the packed copies of many events. A run says where each group of them begins in pages that stay in memory; the places of single copies
/// take many more pages, and are asked for only where a group is long.
/// </summary>
internal sealed class PackedPlaces(IndexView view)
{
    // A group is read as a whole: of usual events, not more than a page.
    private const int GroupBytesMax = 8 * 1024;

    private readonly IndexContents contents = view.Contents;
    private IndexRun? run;
    private int group;
    private long groupStart;
    private long groupEnd;

    public PackedPlace Of(int position)
    {
        if (position > contents.Tail.Basis)
            return Alone(position);
        if (run is null || position <= run.Basis || position > run.Last)
        {
            run = contents.RunOf(position);
            group = -1;
        }
        var number = position - run.Basis - 1;
        if (number / RunHeader.CopiesInGroup != group)
        {
            // The places of neighbours are asked for one after the other.
            var isNext = group >= 0 && number / RunHeader.CopiesInGroup == group + 1;
            group = number / RunHeader.CopiesInGroup;
            groupStart = isNext ? groupEnd : run.GroupStart(group);
            groupEnd = run.GroupStart(group + 1);
            if (groupEnd < groupStart)
                throw run.Forged();
        }
        var before = number % RunHeader.CopiesInGroup;
        // The file may begin within the group.
        return groupEnd - groupStart <= GroupBytesMax && (position - before >= view.FirstPacked || position < view.FirstPacked)
            ? new PackedPlace(position, groupStart, (int)(groupEnd - groupStart), before,
                Math.Min(RunHeader.CopiesInGroup, run.Last - run.Basis - group * RunHeader.CopiesInGroup))
            : Alone(position);
    }

    private PackedPlace Alone(int position)
    {
        var start = contents.PackedStart(position);
        var length = contents.PackedEnd(position) - start;
        // One that no copy has: none is found there.
        return new PackedPlace(position, start, length is > 0 and <= StoreLayout.PackedCopyBytesMax ? (int)length : 0, Before: 0, Count: 1);
    }
}
