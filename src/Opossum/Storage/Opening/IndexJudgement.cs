using Opossum.Maintenance;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Storage.Opening;

/// <summary>Decides whether an index matches the event files. It is derived from them, so an index that does not match is rebuilt.</summary>
internal sealed class IndexJudgement(EventIndex index, EventFiles eventFiles, StoreLayout layout)
{
    // At most this many lines are restored one by one; if more are lost, the index is rebuilt.
    private const int LostLinesMax = 1_000;

    /// <summary>
    /// The quick test: compares the lines of the first and the last event with their files, because another Events folder may have been restored,
    /// and looks at the last line of the segment before, because a power cut may have taken it and not those after it.
    /// </summary>
    public bool IsSound()
    {
        var before = EndOfSegmentBefore(index.Head);
        return index.Head == 0 || ((index.IsSealed(1) || Fits(1)) && Fits(index.Head) && (before == 0 || HasLine(before)));
    }

    /// <summary>The thorough test, for an index that failed the quick one. False when the index must be rebuilt.</summary>
    /// <param name="durable">The last position known to be durable.</param>
    /// <param name="lostLines">The positions whose lines must be restored from their event files.</param>
    /// <exception cref="StoreDamagedException">The last event files are missing.</exception>
    public bool IsOfTheseEvents(long durable, out List<long> lostLines)
    {
        lostLines = [];
        if (index.Head == 0)
            return true;
        // A power cut may have removed the last lines, which are not flushed. The index is then tested by the lines before them.
        var intact = index.Head;
        while (intact > 0 && index.Head - intact < LostLinesMax && !HasLine(intact))
            intact--;
        if (index.Head - intact >= LostLinesMax || (intact > 0 && (IsReplaced(1) || IsReplaced(intact))))
            return false;
        // It may also have removed events that were appended without flushing, but not the index that names them.
        if (!FitsAfter(durable))
            return false;
        // On a network file system a listing can be stale for seconds, so a file counts as missing only if the server confirms it.
        if (eventFiles.Listing.After(index.Head - 1).Count == 0 && !eventFiles.IsOnServer(index.Head))
        {
            if (eventFiles.Listing.After(0) is [.., var last] && IsReplaced(last))
                return false;
            throw EndIsMissing(index.Head);
        }
        if (!HasLine(1))
            lostLines.Add(1);
        for (var position = Math.Max(intact, 1) + 1; position <= index.Head; position++)
            lostLines.Add(position);
        AddLostBefore(intact, lostLines);
        return true;
    }

    // The end of each segment before, up to one that has its last line.
    private void AddLostBefore(long intact, List<long> lostLines)
    {
        for (var last = EndOfSegmentBefore(intact); last > 1 && !HasLine(last); last = EndOfSegmentBefore(last))
        {
            for (var position = last; position > Math.Max(1, EndOfSegmentBefore(last)) && !HasLine(position); position--)
                lostLines.Add(position);
        }
    }

    // The last position of the segment before the one of a position; 0 when there is none.
    private long EndOfSegmentBefore(long position) => Math.Max(layout.ShardOf(position) - 1, 0);

    /// <summary>Whether every event after the position has a valid file, with the event that the index has.</summary>
    /// <remarks>
    /// The whole file is read: a power cut can take the beginning of a file that was not flushed, and leave the end that states the checksum.
    /// </remarks>
    public bool FitsAfter(long position)
    {
        while (++position <= index.Head)
        {
            if (LineChecksum(position) is not { } checksum || eventFiles.Read(position, out _)?.Checksum != checksum)
                return false;
        }
        return true;
    }

    // A bad line of a sealed folder is no matter of the index: reads and checks report it.
    private bool HasLine(long position) => index.IsSealed(position) || LineChecksum(position) is not null;

    private bool Fits(long position) => LineChecksum(position) is { } checksum && eventFiles.StatedChecksum(position) == checksum;

    // Whether a valid file holds another event than the index has at the position. An invalid file proves nothing; reads and checks report it.
    private bool IsReplaced(long position) =>
        LineChecksum(position) is { } checksum && eventFiles.Read(position, out _) is { } stored && stored.Checksum != checksum;

    private uint? LineChecksum(long position) => position > index.Head ? null : EventLine.ChecksumOf(index.ReadLine(position), position);

    // The index names an event only after its file is durable, so files missing at the end were removed. Appending now would leave a gap.
    private StoreDamagedException EndIsMissing(long head) => new(eventFiles.PathOf(head), head,
        $"The store is damaged at its end: the index proves that the event at position {head} was stored, but {eventFiles.PathOf(head)} is "
            + "missing. Nothing was changed. "
        + $"{StoreCheck.InWords} names the remedy. The index may hold the only copies of the missing events: "
        + $"{nameof(StoreRepair)}.{nameof(StoreRepair.RestoreFromIndexAsync)} (opossum repair from-index) restores their files. If an older backup "
        + $"was restored on purpose, {nameof(StoreRepair)}.{nameof(StoreRepair.TruncateAsync)} (opossum repair truncate) ends the store where the "
        + "backup ends, and keeps in Quarantine what it cuts off.");
}
