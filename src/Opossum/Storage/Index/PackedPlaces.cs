namespace Opossum.Storage.Index;

/// <summary>Finds the packed copies of many events. The page of a run that it used last is at hand, because neighbours share it.</summary>
internal sealed class PackedPlaces(IndexContents contents)
{
    private IndexRun? run;
    private byte[] page = [];
    private int pageNumber;
    private int last = -1;
    private long lastEnd;

    public PackedPlace Of(int position)
    {
        var start = position - 1 == last ? lastEnd : EndOf(position - 1);
        lastEnd = EndOf(position);
        last = position;
        return new PackedPlace(position, start, (int)(lastEnd - start));
    }

    private long EndOf(int position)
    {
        if (position >= contents.Tail.Basis)
            return contents.Tail.PackedEnd(position);
        if (run is null || position < run.Basis || position > run.Last)
        {
            run = contents.RunOf(position);
            pageNumber = -1;
        }
        if (position == run.Basis)
            return run.Header.PackedStart;
        var needed = run.EndsPageOf(position);
        if (needed != pageNumber)
        {
            page = run.Page(needed);
            pageNumber = needed;
        }
        return IndexRun.PackedEnd(page, position - run.Basis - 1);
    }
}
