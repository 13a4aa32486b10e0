using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Opening;

/// <summary>Judges whether an index is that of the event files. It is derived from them, so what does not fit is derived anew.</summary>
internal sealed class IndexJudgement(EventIndex index, EventFiles eventFiles)
{
    // So many packed copies are made again one by one at the most; if more are lost, the index is built anew.
    private const int LostCopiesMax = 1_000;

    /// <summary>A first look: somebody may have restored another Events folder, so the first and the last event are held against their files.</summary>
    public bool IsSound() => index.Head == 0 || (Fits(1) && Fits(index.Head));

    /// <summary>A closer look, at an index that did not fit at first sight. False: it has to be derived anew.</summary>
    /// <param name="durable">The last position that is known durable.</param>
    /// <param name="lostCopies">The positions whose packed copies have to be made again of their event files.</param>
    /// <exception cref="StoreDamagedException">The last event files were taken away.</exception>
    public bool IsOfTheseEvents(long durable, out List<long> lostCopies)
    {
        lostCopies = [];
        if (index.Head == 0)
            return true;
        // A power cut may have taken the last packed copies, which are not flushed; the index is then judged by those before them.
        var intact = index.Head;
        while (intact > 0 && index.Head - intact < LostCopiesMax && CopyChecksum(intact) is null)
            intact--;
        if (index.Head - intact >= LostCopiesMax || (intact > 0 && (IsReplaced(1) || IsReplaced(intact))))
            return false;
        // And it may have taken events that were appended without flushing, but not the index, which names them.
        if (!FitsBehind(durable))
            return false;
        // On a network file system a listing is stale for seconds: the server itself is asked before anything is called missing.
        if (eventFiles.ListBehind(0) is var present && (present.Count == 0 || present[^1] < index.Head) && !eventFiles.IsOnServer(index.Head))
        {
            if (present.Count > 0 && IsReplaced(present[^1]))
                return false;
            throw EndIsMissing(index.Head);
        }
        if (CopyChecksum(1) is null)
            lostCopies.Add(1);
        for (var position = Math.Max(intact, 1) + 1; position <= index.Head; position++)
            lostCopies.Add(position);
        return true;
    }

    /// <summary>Whether every event behind the position is that of its file.</summary>
    public bool FitsBehind(long position)
    {
        while (++position <= index.Head)
        {
            if (!Fits(position))
                return false;
        }
        return true;
    }

    private bool Fits(long position) => CopyChecksum(position) is { } checksum && eventFiles.StatedChecksum(position) == checksum;

    // Whether a valid file holds another event than the index has there. What is no valid file proves nothing; reads and checks will tell.
    private bool IsReplaced(long position) =>
        CopyChecksum(position) is { } checksum && eventFiles.Read(position, out _) is { } stored && stored.Checksum != checksum;

    private uint? CopyChecksum(long position) => PackedEvents.FileChecksum(index.ReadPacked(position), position);

    // The index names an event only when its file is durable, so files that are missing at the end were taken away. Going on would leave a gap.
    private StoreDamagedException EndIsMissing(long head) => new(eventFiles.PathOf(head), head,
        $"The store is damaged at its end: the index proves that the event at position {head} was stored, but {eventFiles.PathOf(head)} is missing. Nothing was changed. "
        + $"{nameof(StoreCheck)} names the remedy. The index may hold the only copies of the events that are missing: {nameof(StoreRepair)}.{nameof(StoreRepair.RestoreFromIndexAsync)} makes their files again. "
        + $"If an older backup was restored on purpose, {nameof(StoreRepair)}.{nameof(StoreRepair.TruncateAsync)} ends the store where the backup ends, and keeps in Quarantine what it cuts off.");
}
