using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Opening;

/// <summary>Decides whether an index matches the event files. It is derived from them, so an index that does not match is rebuilt.</summary>
internal sealed class IndexJudgement(EventIndex index, EventFiles eventFiles)
{
    // At most this many packed copies are restored one by one; if more are lost, the index is rebuilt.
    private const int LostCopiesMax = 1_000;

    /// <summary>
    /// The quick test: compares the first event that has a packed copy and the last one with their files, because another Events folder may have
    /// been restored.
    /// </summary>
    public bool IsSound() => index.Head == 0 || (Fits(index.FirstPacked) && Fits(index.Head));

    /// <summary>The thorough test, for an index that failed the quick one. False when the index must be rebuilt.</summary>
    /// <param name="durable">The last position known to be durable.</param>
    /// <param name="lostCopies">The positions whose packed copies must be restored from their event files.</param>
    /// <exception cref="StoreDamagedException">The last event files are missing.</exception>
    public bool IsOfTheseEvents(long durable, out List<long> lostCopies)
    {
        lostCopies = [];
        if (index.Head == 0)
            return true;
        // It ends before the first event that has a copy: no copy says of which events it is.
        if (index.Head < index.FirstPacked)
            return false;
        // A power cut may have removed the last packed copies, which are not flushed. The index is then tested by the copies before them.
        var intact = index.Head;
        while (intact > 0 && index.Head - intact < LostCopiesMax && CopyChecksum(intact) is null)
            intact--;
        if (index.Head - intact >= LostCopiesMax || (intact > 0 && (IsReplaced(index.FirstPacked) || IsReplaced(intact))))
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
        var first = index.FirstPacked;
        if (CopyChecksum(first) is null)
            lostCopies.Add(first);
        for (var position = Math.Max(intact, first) + 1; position <= index.Head; position++)
            lostCopies.Add(position);
        return true;
    }

    /// <summary>Whether every event after the position has a valid file, with the event that the index has.</summary>
    /// <remarks>
    /// The whole file is read: a power cut can take the beginning of a file that was not flushed, and leave the end that states the checksum.
    /// </remarks>
    public bool FitsAfter(long position)
    {
        while (++position <= index.Head)
        {
            if (CopyChecksum(position) is not { } checksum || eventFiles.Read(position, out _)?.Checksum != checksum)
                return false;
        }
        return true;
    }

    private bool Fits(long position) => CopyChecksum(position) is { } checksum && eventFiles.StatedChecksum(position) == checksum;

    // Whether a valid file holds another event than the index has at the position. An invalid file proves nothing; reads and checks report it.
    private bool IsReplaced(long position) =>
        CopyChecksum(position) is { } checksum && eventFiles.Read(position, out _) is { } stored && stored.Checksum != checksum;

    private uint? CopyChecksum(long position) => position > index.Head ? null : PackedEvents.FileChecksum(index.ReadPacked(position), position);

    // The index names an event only after its file is durable, so files missing at the end were removed. Appending now would leave a gap.
    private StoreDamagedException EndIsMissing(long head) => new(eventFiles.PathOf(head), head,
        $"The store is damaged at its end: the index proves that the event at position {head} was stored, but {eventFiles.PathOf(head)} is "
            + "missing. Nothing was changed. "
        + $"{nameof(StoreCheck)} names the remedy. The index may hold the only copies of the missing events: "
        + $"{nameof(StoreRepair)}.{nameof(StoreRepair.RestoreFromIndexAsync)} restores their files. "
        + $"If an older backup was restored on purpose, {nameof(StoreRepair)}.{nameof(StoreRepair.TruncateAsync)} ends the store where the backup "
        + "ends, and keeps in Quarantine what it cuts off.");
}
