using Opossum.FileSystem;

namespace Opossum.Storage.Index;

/// <summary>The index in memory and its file of packed copies.</summary>
/// <param name="contents">The index.</param>
/// <param name="packed">The file of packed copies; without one (null) events are read from the ledger.</param>
/// <param name="firstPacked">The position of the first copy in the file; lower ones are in sealed files.</param>
internal sealed class IndexView(IndexContents contents, IFile? packed, int firstPacked = 1)
{
    private long skipped = -1;

    public IndexContents Contents => contents;

    public IFile? Packed => packed;

    public int FirstPacked => firstPacked;

    /// <summary>Whether the file has a place for the position's copy.</summary>
    public bool HasCopy(long position) => packed is not null && position >= firstPacked;

    /// <summary>The offset in the file of a place among all copies, which follows that of the first one.</summary>
    public long OffsetOf(long place)
    {
        if (firstPacked == 1)
            return place;
        if (skipped < 0)
            skipped = contents.PackedStart(firstPacked) - PackedEvents.HeaderLength;
        return place - skipped;
    }
}
