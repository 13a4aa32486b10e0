namespace Opossum.Storage.Index;

/// <summary>The positions of a name that a run holds in blocks. One block at a time is in memory.</summary>
internal sealed class RunPostings(IndexRun run, RunPlace place) : Postings
{
    private const int None = -1;

    private readonly int blockCount = (place.Count + RunWriter.BlockLength - 1) / RunWriter.BlockLength;
    private readonly int[] positions = new int[RunWriter.BlockLength];
    private int block = None;
    private int count;

    public override int Count => place.Count;

    protected override int SeekForward(int target)
    {
        if (block == None || target < positions[0] || target > positions[count - 1])
            Load(BlockOf(target));
        var found = positions.AsSpan(0, count).BinarySearch(target);
        if (found >= 0)
            return target;
        if (~found < count)
            return positions[~found];
        if (block + 1 == blockCount)
            return PositionCursor.None;
        Load(block + 1);
        return positions[0];
    }

    protected override int SeekBackward(int target)
    {
        if (block == None || target < positions[0] || target > positions[count - 1])
            Load(BlockOf(target));
        var found = positions.AsSpan(0, count).BinarySearch(target);
        if (found >= 0)
            return target;
        return ~found == 0 ? PositionCursor.None : positions[~found - 1];
    }

    // The last block that begins at or before the target; the first one if none does.
    private int BlockOf(int target)
    {
        // Most targets are in the next block.
        if (block != None && target > positions[count - 1] && (block + 1 >= blockCount || FirstOf(block + 1) > target))
            return block;
        if (block != None && target > positions[count - 1] && (block + 2 >= blockCount || FirstOf(block + 2) > target))
            return block + 1;
        var (low, high) = (0, blockCount - 1);
        while (low < high)
        {
            var middle = (low + high + 1) / 2;
            if (FirstOf(middle) <= target)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }

    private int FirstOf(int number) =>
        run.NextOf(run.Basis, new RunReader(run, run.NamesPage, place.ListOffset + (long)number * RunWriter.BlockEntryLength).ReadUInt32());

    private void Load(int number)
    {
        if (number == block)
            return;
        var reader = new RunReader(run, run.NamesPage, place.ListOffset + (long)number * RunWriter.BlockEntryLength);
        positions[0] = run.NextOf(run.Basis, reader.ReadUInt32());
        var offset = reader.ReadUInt32();
        reader = new RunReader(run, run.NamesPage, place.ListOffset + (long)blockCount * RunWriter.BlockEntryLength + offset);
        count = number + 1 < blockCount ? RunWriter.BlockLength : place.Count - number * RunWriter.BlockLength;
        for (var at = 1; at < count; at++)
            positions[at] = run.NextOf(positions[at - 1], reader.ReadVarint());
        block = number;
    }
}
